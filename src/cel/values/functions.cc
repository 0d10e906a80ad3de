// SPDX-License-Identifier: Apache-2.0

#include "cel/values/functions.h"

#include <cstdlib>

#include "base/text.h"

namespace fairway::cel {

namespace {

constexpr std::uint32_t bit(ValueKind kind) {
  return 1u << static_cast<unsigned>(kind);
}

/// Names of opaque types, in the order of Opaque::Kind.
constexpr std::string_view opaque_names[] = {"kubernetes.Quantity",
                                             "kubernetes.URL",
                                             "net.IP",
                                             "net.CIDR",
                                             "kubernetes.Semver",
                                             "kubernetes.NamedFormat",
                                             "kubernetes.authorization.Authorizer",
                                             "kubernetes.authorization.PathCheck",
                                             "kubernetes.authorization.GroupCheck",
                                             "kubernetes.authorization.ResourceCheck",
                                             "kubernetes.authorization.Decision"};

/// Returns the kinds of values that an argument of a type may have.
std::uint32_t kinds_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::null_type:
      return bit(ValueKind::null_value);
    case TypeKind::boolean:
      return bit(ValueKind::boolean);
    case TypeKind::integer:
      return bit(ValueKind::integer);
    case TypeKind::unsigned_integer:
      return bit(ValueKind::unsigned_integer);
    case TypeKind::floating:
      return bit(ValueKind::floating);
    case TypeKind::string:
      return bit(ValueKind::string);
    case TypeKind::bytes:
      return bit(ValueKind::bytes);
    case TypeKind::duration:
      return bit(ValueKind::duration);
    case TypeKind::timestamp:
      return bit(ValueKind::timestamp);
    case TypeKind::list:
      return bit(ValueKind::list);
    case TypeKind::map:
      return bit(ValueKind::map) | bit(ValueKind::object);
    case TypeKind::object:
      return bit(ValueKind::object);
    case TypeKind::optional:
      return bit(ValueKind::optional);
    case TypeKind::type:
      return bit(ValueKind::type);
    case TypeKind::opaque:
      for (std::size_t i = 0; i < std::size(opaque_names); ++i)
        if (type.name == opaque_names[i]) return 1u << (16 + i);
      return 0;
    case TypeKind::dyn:
    case TypeKind::parameter:
      return ~bit(ValueKind::error);
  }
  return 0;
}

std::vector<TypePtr> parse_arguments(std::string_view text) {
  text = trim(text);
  if (text.empty()) return {};
  // As the parameters of a map or list of any number.
  std::vector<TypePtr> arguments;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      arguments.push_back(parse_type(text.substr(from, i - from)));
      from = i + 1;
    } else {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    }
  }
  return arguments;
}

}  // namespace

Functions::Functions(const std::vector<std::span<const Overload>>& libraries) {
  for (const std::span<const Overload> library : libraries) {
    for (const Overload& row : library) {
      FunctionOverload overload;
      overload.declared = row;
      const std::size_t arrow = row.signature.find("->");
      overload.arguments = parse_arguments(row.signature.substr(0, arrow));
      overload.result = parse_type(row.signature.substr(arrow + 2));
      for (const TypePtr& type : overload.arguments) {
        if (!type || !overload.result) std::abort();  // A row with a typing error.
        overload.kinds.push_back(kinds_of(*type));
        if (type->kind == TypeKind::opaque) type_names_.emplace(type->name, type_of(type));
      }
      functions_[std::string(row.function)].push_back(std::move(overload));
    }
  }
  for (const TypeKind kind : {TypeKind::boolean, TypeKind::integer, TypeKind::unsigned_integer,
                              TypeKind::floating, TypeKind::string, TypeKind::bytes, TypeKind::null_type,
                              TypeKind::type, TypeKind::duration, TypeKind::timestamp})
    type_names_.emplace(name_of(*simple_type(kind)), type_of(simple_type(kind)));
  const TypePtr& dyn = simple_type(TypeKind::dyn);
  type_names_.emplace("list", type_of(list_of(dyn)));
  type_names_.emplace("map", type_of(map_of(dyn, dyn)));
  if (functions_.contains("optional.of")) type_names_.emplace("optional_type", type_of(optional_of(dyn)));
}

const std::vector<FunctionOverload>* Functions::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

}  // namespace fairway::cel
