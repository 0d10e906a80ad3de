// Which of a type's forms a value has.
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

/// One bit a form.
using Forms = std::uint8_t;
inline constexpr Forms map_form = 1, scalar_form = 2, list_form = 4;

/// The one form that the value has, if the type has it; else all of the type's. `value` may be nullptr.
Forms forms_of(const Type& type, const json::Value* value);
/// The form by which a value is treated; 0: none.
Forms first_form(Forms forms);
/// The fault of a type without forms.
std::string no_form(const Type& type);

/// What is wrong with a scalar, after `prefix`; empty if nothing is. Absent and null are right.
std::string check_scalar(Scalar scalar, const json::Value* value, std::string_view prefix);

/// How an item of an associative list is named, or why it cannot be.
std::expected<PathElement, std::string> name_item(const ListType& list, const json::Value& item);

/// The type of a member of an object.
TypeRef member_type(const MapType& map, std::string_view name);

inline const json::Object* object_or_null(const json::Value* value) {
  return value != nullptr ? value->if_object() : nullptr;
}
inline const json::Array* array_or_null(const json::Value* value) {
  return value != nullptr ? value->if_array() : nullptr;
}

/// An object's members, sorted by name where they are many: sets are filled in that order.
using Members = std::vector<const json::Object::value_type*>;
Members members_of(const json::Object& object);

}  // namespace fairway::apiserver::apply::internal
