// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/omit_empty.h"

namespace fairway::apiserver::kinds {

bool is_empty(FieldType type, const json::Value& value) {
  switch (type) {
    case FieldType::boolean:
      return !value.get_bool();
    case FieldType::int32:
    case FieldType::int64:
      return value.get_int64() == 0;
    case FieldType::float64:
      return value.is_int64() && value.get_int64() == 0;
    case FieldType::string:
      return value.get_string().empty();
    case FieldType::bytes:
      return value.is_null() || value.get_string().empty();
    case FieldType::strings:
      return value.is_null();
    default:
      return false;
  }
}

}  // namespace fairway::apiserver::kinds
