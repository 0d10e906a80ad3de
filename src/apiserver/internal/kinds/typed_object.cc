// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/typed_object.h"

#include "apiserver/internal/kinds/typed_reader.h"

namespace fairway::apiserver::kinds {

Result<json::Value> read_typed(const json::Value& document, const MessageType& type) {
  TypedReader reader(document.storage());
  json::Value made(document.storage());
  if (!reader.message(type, document.is_null() ? nullptr : &document, made.emplace_object()))
    return fail(reader.error());
  if (reader.saved()) return fail(*reader.saved());
  return made;
}

}  // namespace fairway::apiserver::kinds
