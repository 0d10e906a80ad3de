// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/audit/patch_documents.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "k8s/patch/json_pointer.h"

namespace fairway::apiserver::audit {
namespace {

/// Number of names that a path may have. No built-in kind is deeper.
constexpr std::size_t most_names = 100;

using Names = std::span<const std::string>;

std::optional<std::vector<std::string>> names_of(std::string_view pointer) {
  if (static_cast<std::size_t>(std::ranges::count(pointer, '/')) > most_names) return std::nullopt;
  auto names = k8s::parse_json_pointer(pointer);
  if (!names) return std::nullopt;
  return *std::move(names);
}

bool is_place(std::string_view name) {
  return name == "-" ||
         (!name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }));
}

json::Value object_with(std::string_view name, json::Value value) {
  json::Object object;
  object.emplace(name, std::move(value));
  return object;
}

json::Value list_of(json::Value value) {
  json::Array list;
  list.push_back(std::move(value));
  return list;
}

json::Value nested(const kinds::MessageType* type, Names names, json::Value value) {
  if (names.empty()) return value;
  const std::string& name = names.front();
  const Names rest = names.subspan(1);
  if (type == nullptr) {
    json::Value inner = nested(nullptr, rest, std::move(value));
    return is_place(name) ? list_of(std::move(inner)) : object_with(name, std::move(inner));
  }
  const kinds::Field* field = type->find(name);
  const kinds::MessageType* inner = field != nullptr ? field->message : nullptr;
  if (field == nullptr || field->shape == kinds::FieldShape::one || rest.empty()) {
    return object_with(name, nested(inner, rest, std::move(value)));
  }
  json::Value element = nested(inner, rest.subspan(1), std::move(value));
  return object_with(name, field->shape == kinds::FieldShape::list
                               ? list_of(std::move(element))
                               : object_with(rest.front(), std::move(element)));
}

/// Adds the documents of an operation. Returns whether it is a valid operation.
bool add_operation(std::vector<PatchDocument>& documents, const json::Value& operation,
                   const kinds::MessageType* type) {
  const json::Object* object = operation.if_object();
  if (object == nullptr || !object->contains("op") || !object->contains("path")) return false;
  for (const auto& member : *object) {
    if (member.key() == "value") continue;
    if (!member.value().is_string()) return false;
    const std::string_view text(member.value().get_string());
    if (member.key() == "op") {
      constexpr std::array<std::string_view, 6> known{"add", "remove", "replace", "move", "copy", "test"};
      if (std::ranges::find(known, text) == known.end()) return false;
      continue;
    }
    if (member.key() != "path" && member.key() != "from") return false;
    const auto names = names_of(text);
    if (!names) return false;
    const json::Value* value = member.key() == "path" ? object->if_contains("value") : nullptr;
    if (names->empty() && value == nullptr) continue;
    documents.push_back({.value = nested(type, *names, value != nullptr ? *value : json::Value()),
                         .is_whole = names->empty()});
  }
  return true;
}

bool is_scalar(const json::Value& value) {
  return !value.is_object() && !value.is_array();
}

bool is_list_of(const json::Value& value, bool (*is_item)(const json::Value&)) {
  return value.is_array() && std::ranges::all_of(value.get_array(), is_item);
}

bool is_element(const json::Value& value) {
  if (!value.is_object()) return is_scalar(value);
  return std::ranges::all_of(value.get_object(),
                             [](const auto& member) { return is_scalar(member.value()); });
}

bool is_directive(std::string_view name) {
  return name == "$patch" || name == "$retainKeys" || name.starts_with("$setElementOrder/") ||
         name.starts_with("$deleteFromPrimitiveList/");
}

bool is_sound(std::string_view name, const json::Value& value) {
  if (name == "$patch") return value == "replace" || value == "merge" || value == "delete";
  if (name.starts_with("$setElementOrder/")) return is_list_of(value, &is_element);
  return is_list_of(value, &is_scalar);
}

/// Removes the directives. Returns whether all of them are valid.
bool remove_directives(json::Value& value) {
  if (json::Array* array = value.if_array()) return std::ranges::all_of(*array, &remove_directives);
  json::Object* object = value.if_object();
  if (object == nullptr) return true;
  std::vector<std::string> found;
  for (auto& member : *object) {
    if (!is_directive(member.key())) {
      if (!remove_directives(member.value())) return false;
    } else if (is_sound(member.key(), member.value())) {
      found.emplace_back(member.key());
    } else {
      return false;
    }
  }
  for (const std::string& name : found) object->erase(name);
  return true;
}

}  // namespace

std::optional<std::vector<PatchDocument>> documents_of_json_patch(const json::Value& patch,
                                                                  const kinds::MessageType* type) {
  const json::Array* operations = patch.if_array();
  if (operations == nullptr) return std::nullopt;
  std::vector<PatchDocument> documents;
  for (const json::Value& operation : *operations) {
    if (!add_operation(documents, operation, type)) return std::nullopt;
  }
  return documents;
}

bool has_name(std::string_view pointer, std::string_view name) {
  const auto names = names_of(pointer);
  return names && std::ranges::find(*names, name) != names->end();
}

std::optional<json::Value> without_directives(const json::Value& patch) {
  json::Value plain = patch;
  if (!remove_directives(plain)) return std::nullopt;
  return plain;
}

}  // namespace fairway::apiserver::audit
