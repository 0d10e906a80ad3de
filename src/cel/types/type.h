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
  /// Has fields.
  object,
  /// Values of a library: net.IP, kubernetes.Quantity.
  opaque,
  /// The A of list(A), in the signature of a function.
  parameter,
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

/// One field of an object.
struct Field {
  /// The member of the JSON object; the name in expressions may be an escaped form of it.
  std::string key;
  TypePtr type;
};

/// What makes two lists equal, and what `+` does (x-kubernetes-list-type).
enum class ListEquality : std::uint8_t { atomic, set, map };

struct Type {
  TypeKind kind = TypeKind::dyn;
  /// Of objects, opaque types and parameters.
  std::string name;
  /// Of a list its element, of a map key and value, of an optional and a type what is in it.
  std::vector<TypePtr> parameters;
  /// Of an object, by the names that expressions use.
  std::map<std::string, Field, std::less<>> fields;
  ListEquality equality = ListEquality::atomic;
  /// The keys of a list whose equality is `map`: members of the JSON objects in it.
  std::vector<std::string> keys;
  /// The largest size, for the estimate of cost: bytes of a string or bytes, items of a list, entries of a
  /// map. Where it is not known, the estimate takes the largest that a request can carry.
  std::optional<std::uint64_t> max_size;
};

/// The types without parameters, each one object.
const TypePtr& simple_type(TypeKind kind);
TypePtr list_of(TypePtr element);
TypePtr map_of(TypePtr key, TypePtr value);
TypePtr optional_of(TypePtr value);
TypePtr type_of(TypePtr value);
TypePtr opaque_type(std::string name);
TypePtr type_parameter(std::string name);

/// "list(map(string, int))", as cel-go writes it.
std::string to_string(const Type& type);
/// The name without parameters, which is what type(x) compares: "list".
std::string_view name_of(const Type& type);
/// Equal in kind, name and parameters.
bool same_type(const Type& a, const Type& b);

/// Reads the form that `to_string` writes; names that are not of the language are opaque types, single
/// capitals parameters. nullptr for text that is no type.
TypePtr parse_type(std::string_view text);

}  // namespace fairway::cel
