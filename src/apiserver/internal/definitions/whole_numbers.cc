// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/whole_numbers.h"

#include <cmath>
#include <cstdint>

namespace fairway::apiserver::definitions {

void make_whole_numbers_integers(json::Value& value) {
  constexpr double beyond = 9'007'199'254'740'992;  // 2^53
  if (json::Object* object = value.if_object()) {
    make_whole_numbers_integers(*object);
  } else if (json::Array* list = value.if_array()) {
    for (json::Value& one : *list) make_whole_numbers_integers(one);
  } else if (const double* number = value.if_double();
             number != nullptr && std::abs(*number) < beyond && std::trunc(*number) == *number) {
    value = static_cast<std::int64_t>(*number);
  }
}

void make_whole_numbers_integers(json::Object& object) {
  for (auto&& member : object) make_whole_numbers_integers(member.value());
}

}  // namespace fairway::apiserver::definitions
