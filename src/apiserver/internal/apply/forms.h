// SPDX-License-Identifier: Apache-2.0

// The forms of a type (map, scalar, list), and the one that a value has.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/apply/path_element.h"
#include "apiserver/internal/apply/type.h"
#include "base/json.h"

namespace fairway::apiserver::apply::internal {

/// Set of forms, one bit each.
using Forms = std::uint8_t;
inline constexpr Forms map_form = 1, scalar_form = 2, list_form = 4;

/// Returns the form of the value, if the type has it; else all forms of the type. `value` may be nullptr.
Forms forms_of(const Type& type, const json::Value* value);
/// Returns the form by which a value is treated; 0: none.
Forms first_form(Forms forms);
/// Returns the fault of a type without forms.
std::string no_form(const Type& type);

/// Returns the fault of a scalar, after `prefix`; empty if there is none. Absent and null are valid.
std::string check_scalar(Scalar scalar, const json::Value* value, std::string_view prefix);

/// Returns the name of an item of an associative list, or the reason why it has none.
std::expected<PathElement, std::string> name_item(const ListType& list, const json::Value& item);

/// Returns the type of a member of an object.
TypeRef member_type(const MapType& map, std::string_view name);

inline const json::Object* object_or_null(const json::Value* value) {
  return value != nullptr ? value->if_object() : nullptr;
}
inline const json::Array* array_or_null(const json::Value* value) {
  return value != nullptr ? value->if_array() : nullptr;
}

/// The members of an object, sorted by name if they are many: sets are filled in that order.
using Members = std::vector<const json::Object::value_type*>;
Members members_of(const json::Object& object);

}  // namespace fairway::apiserver::apply::internal
