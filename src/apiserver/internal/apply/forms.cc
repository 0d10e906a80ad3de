// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/forms.h"

#include <algorithm>

#include "apiserver/internal/apply/values.h"

namespace fairway::apiserver::apply::internal {

namespace {

std::expected<PathElement, std::string> name_by_keys(const ListType& list, const json::Value& item) {
  if (item.is_null()) return std::unexpected("associative list with keys may not have a null element");
  const json::Object* object = item.if_object();
  if (object == nullptr) return std::unexpected("associative list with keys may not have non-map elements");
  std::vector<std::pair<std::string, json::Value>> fields;
  fields.reserve(list.keys.size());
  for (const std::string& key : list.keys) {
    if (const json::Value* value = object->if_contains(key)) {
      fields.emplace_back(key, json::Value(*value, json::Storage{}));
      continue;
    }
    const Type& element = list.element.resolve();
    if (!element.problem.empty() || !element.map) {
      return std::unexpected("couldn't find default value for " + key + ": " +
                             (element.problem.empty() ? "associative list may not have non-map types"
                                                      : "invalid elementType for list"));
    }
    const MapType::Field* field = element.map->find(key);
    if (field != nullptr && !field->fallback.is_null()) fields.emplace_back(key, field->fallback);
  }
  if (fields.empty()) {
    std::string names;
    for (const std::string& key : list.keys)
      names += (names.empty() ? "" : " ") + to_string(json::Value(key));
    return std::unexpected("associative list with keys has an element that omits all key fields [" + names +
                           "] (and doesn't have default values for any key fields)");
  }
  return PathElement::key(std::move(fields));
}

std::expected<PathElement, std::string> name_by_value(const json::Value& item) {
  if (item.is_object()) {
    return std::unexpected("associative list without keys has an element that's a map type");
  }
  if (item.is_array()) return std::unexpected("not supported: associative list with lists as elements");
  if (item.is_null()) {
    return std::unexpected("associative list without keys has an element that's an explicit null");
  }
  return PathElement::item(item);
}

}  // namespace

Forms forms_of(const Type& type, const json::Value* value) {
  if (value != nullptr) {
    if (value->is_array()) {
      if (type.list) return list_form;
    } else if (value->is_object()) {
      if (type.map) return map_form;
    } else if (!value->is_null() && type.scalar) {
      return scalar_form;
    }
  }
  return static_cast<Forms>((type.map ? map_form : 0) | (type.scalar ? scalar_form : 0) |
                            (type.list ? list_form : 0));
}

Forms first_form(Forms forms) {
  for (const Forms form : {map_form, scalar_form, list_form}) {
    if ((forms & form) != 0) return form;
  }
  return 0;
}

std::string no_form(const Type& type) {
  return "schema error: " + (type.problem.empty() ? "invalid atom: inlined" : type.problem);
}

std::string check_scalar(Scalar scalar, const json::Value* value, std::string_view prefix) {
  if (value == nullptr || value->is_null()) return {};
  const std::string before(prefix);
  switch (scalar) {
    case Scalar::numeric:
      if (value->is_number()) return {};
      return before + "expected numeric (int or float), got " + go_type(*value);
    case Scalar::string:
      if (value->is_string()) return {};
      return before + "expected string, got &value.valueUnstructured{Value:" + go_syntax(*value) + "}";
    case Scalar::boolean:
      if (value->is_bool()) return {};
      return before + "expected boolean, got &{" + go_text(*value) + "}";
    case Scalar::untyped:
      if (value->is_primitive()) return {};
      return before + "expected any scalar, got &{" + go_text(*value) + "}";
  }
  return {};
}

std::expected<PathElement, std::string> name_item(const ListType& list, const json::Value& item) {
  if (list.relationship != Relationship::associative) {
    return std::unexpected("invalid indexing of non-associative list");
  }
  return list.keys.empty() ? name_by_value(item) : name_by_keys(list, item);
}

TypeRef member_type(const MapType& map, std::string_view name) {
  const MapType::Field* field = map.find(name);
  return field != nullptr ? field->type : map.element;
}

Members members_of(const json::Object& object) {
  constexpr std::size_t many = 32;
  Members members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  if (members.size() > many) {
    std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
  }
  return members;
}

}  // namespace fairway::apiserver::apply::internal
