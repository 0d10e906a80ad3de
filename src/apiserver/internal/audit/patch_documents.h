// SPDX-License-Identifier: Apache-2.0

// Patches as documents of the kind that they are for: each value where its patch puts it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::audit {

/// The part of an object that one operation of a JSON patch names.
struct PatchDocument {
  /// The value at its path, within the objects and lists that it lies in.
  json::Value value;
  /// True if the path is that of the whole object.
  bool is_whole = false;
};

/// Returns the documents of a JSON patch (RFC 6902): one for each path and `from`. `type` tells lists from
/// objects; null: names that are numbers are indexes of lists. std::nullopt: it is no JSON patch, an
/// operation has a member that RFC 6902 does not know, or a path is too deep.
std::optional<std::vector<PatchDocument>> documents_of_json_patch(const json::Value& patch,
                                                                  const kinds::MessageType* type);

/// Returns whether one of the names in a JSON pointer is `name`.
bool has_name(std::string_view pointer, std::string_view name);

/// Returns a strategic merge patch without its directives ("$patch", "$retainKeys", "$setElementOrder/LIST",
/// "$deleteFromPrimitiveList/LIST"). std::nullopt: the value of a directive is not of its form, as "$patch:
/// other".
std::optional<json::Value> without_directives(const json::Value& patch);

}  // namespace fairway::apiserver::audit
