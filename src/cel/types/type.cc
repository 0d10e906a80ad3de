// SPDX-License-Identifier: Apache-2.0

#include "cel/types/type.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace fairway::cel {

namespace {

constexpr std::pair<TypeKind, std::string_view> names[] = {
    {TypeKind::dyn, "dyn"},
    {TypeKind::null_type, "null_type"},
    {TypeKind::boolean, "bool"},
    {TypeKind::integer, "int"},
    {TypeKind::unsigned_integer, "uint"},
    {TypeKind::floating, "double"},
    {TypeKind::string, "string"},
    {TypeKind::bytes, "bytes"},
    {TypeKind::duration, "google.protobuf.Duration"},
    {TypeKind::timestamp, "google.protobuf.Timestamp"},
    {TypeKind::list, "list"},
    {TypeKind::map, "map"},
    {TypeKind::optional, "optional_type"},
    {TypeKind::type, "type"},
};

TypePtr make(TypeKind kind, std::vector<TypePtr> parameters, std::string name = "") {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->name = std::move(name);
  type->parameters = std::move(parameters);
  return type;
}

/// Returns the parts of text between commas that are not in parentheses.
std::vector<std::string_view> outer_parts(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trim(text.substr(from, i - from)));
      from = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

}  // namespace

const TypePtr& simple_type(TypeKind kind) {
  static const auto types = [] {
    std::array<TypePtr, static_cast<std::size_t>(TypeKind::parameter) + 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make(static_cast<TypeKind>(i), {});
    return all;
  }();
  return types[static_cast<std::size_t>(kind)];
}

TypePtr list_of(TypePtr element) {
  return make(TypeKind::list, {std::move(element)});
}
TypePtr map_of(TypePtr key, TypePtr value) {
  return make(TypeKind::map, {std::move(key), std::move(value)});
}
TypePtr optional_of(TypePtr value) {
  return make(TypeKind::optional, {std::move(value)});
}
TypePtr type_of(TypePtr value) {
  return make(TypeKind::type, {std::move(value)});
}
TypePtr opaque_type(std::string name) {
  return make(TypeKind::opaque, {}, std::move(name));
}
TypePtr type_parameter(std::string name) {
  return make(TypeKind::parameter, {}, std::move(name));
}

std::string_view name_of(const Type& type) {
  for (const auto& [kind, name] : names)
    if (kind == type.kind) return name;
  return type.name;
}

std::string to_string(const Type& type) {
  std::string text(name_of(type));
  if (type.parameters.empty()) return text;
  text += '(';
  for (const TypePtr& parameter : type.parameters) {
    if (&parameter != &type.parameters.front()) text += ", ";
    text += to_string(*parameter);
  }
  return text + ")";
}

const Field* Type::find_field(std::string_view selected) const {
  if (const auto found = fields.find(selected); found != fields.end()) return &found->second;
  const auto escaped = fields.find("__" + std::string(selected) + "__");
  return escaped != fields.end() && escaped->second.key == selected ? &escaped->second : nullptr;
}

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.parameters.size() != b.parameters.size()) return false;
  for (std::size_t i = 0; i < a.parameters.size(); ++i)
    if (!same_type(*a.parameters[i], *b.parameters[i])) return false;
  return true;
}

TypePtr parse_type(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  std::vector<TypePtr> parameters;
  if (open != std::string_view::npos) {
    if (!text.ends_with(')')) return nullptr;
    for (const std::string_view part : outer_parts(text.substr(open + 1, text.size() - open - 2))) {
      TypePtr parameter = parse_type(part);
      if (!parameter) return nullptr;
      parameters.push_back(std::move(parameter));
    }
  }
  for (const auto& [kind, known] : names) {
    if (known != name) continue;
    const std::size_t wanted = kind == TypeKind::map                                  ? 2
                               : kind == TypeKind::list || kind == TypeKind::optional ? 1
                                                                                      : 0;
    if (kind == TypeKind::type && parameters.size() == 1) return make(kind, std::move(parameters));
    if (parameters.size() != wanted) return nullptr;
    return wanted == 0 ? simple_type(kind) : make(kind, std::move(parameters));
  }
  if (name.empty() || !parameters.empty()) return nullptr;
  if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') return type_parameter(std::string(name));
  return opaque_type(std::string(name));
}

}  // namespace fairway::cel
