// SPDX-License-Identifier: Apache-2.0

// The types of expressions: those of the language, and those that a caller derives from its schemas.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::cel {

enum class TypeKind : std::uint8_t {
  dyn,
  null_type,
  boolean,
  integer,
  unsigned_integer,
  floating,
  string,
  bytes,
  duration,
  timestamp,
  list,
  map,
  optional,
  type,
  /// A type with fields.
  object,
  /// A type of a library: net.IP, kubernetes.Quantity.
  opaque,
  /// A type parameter in the signature of a function: the A of list(A).
  parameter,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// One field of an object.
struct Field {
  /// Key of the member in the JSON object; the name in expressions may be an escaped form of it.
  std::string key = {};
  TypePtr type = {};
};

/// Semantics of a list's equality and of `+` (x-kubernetes-list-type).
enum class ListEquality : std::uint8_t { atomic, set, map };

struct Type {
  TypeKind kind = TypeKind::dyn;
  /// Name of an object, opaque type or parameter.
  std::string name = {};
  /// Types of a list's element, of a map's key and value, and of the contents of an optional or a type.
  std::vector<TypePtr> parameters = {};
  /// Fields of an object, by the names that expressions use.
  std::map<std::string, Field, std::less<>> fields = {};
  ListEquality equality = ListEquality::atomic;
  /// Keys of a list whose equality is `map`: members of the JSON objects in it.
  std::vector<std::string> keys = {};
  /// Largest size, for the estimate of cost: bytes of a string or bytes, items of a list, entries of a map.
  /// If it is not known, the estimate uses the largest that a request can carry.
  std::optional<std::uint64_t> max_size = {};

  /// Returns the field of an object that an expression selects; nullptr: there is none. A member that is a
  /// reserved word may be selected as it is, too: `namespace` for `__namespace__` (Kubernetes, since 1.31).
  const Field* find_field(std::string_view selected) const;
};

/// Returns a type without parameters; there is one object of each.
const TypePtr& simple_type(TypeKind kind);
TypePtr list_of(TypePtr element);
TypePtr map_of(TypePtr key, TypePtr value);
TypePtr optional_of(TypePtr value);
TypePtr type_of(TypePtr value);
TypePtr opaque_type(std::string name);
TypePtr type_parameter(std::string name);

/// Returns the type as cel-go writes it: "list(map(string, int))".
std::string to_string(const Type& type);
/// Returns the name without parameters, which is what type(x) compares: "list".
std::string_view name_of(const Type& type);
/// Returns whether two types are equal in kind, name and parameters.
bool same_type(const Type& a, const Type& b);

/// Reads the form that `to_string` writes; names outside the language are opaque types, and single capitals
/// are parameters. nullptr for text that is not a type.
TypePtr parse_type(std::string_view text);

}  // namespace fairway::cel
