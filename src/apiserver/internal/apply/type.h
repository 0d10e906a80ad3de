// What is known of a value's form, as server-side apply needs it: which lists are sets, maps or atomic.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"

namespace fairway::apiserver::apply {

struct Type;

enum class Scalar : std::uint8_t { numeric, string, boolean, untyped };

/// How ownership of items or members works: `separable`, `associative`: per item; `atomic`: as a whole.
enum class Relationship : std::uint8_t { separable, associative, atomic };

/// The type of a member or an item. Refers to a type that a `Types` owns.
struct TypeRef {
  /// nullptr: nothing is declared.
  const Type* type = nullptr;
  /// Taken from the value: there is no schema for it.
  bool deduced = false;

  explicit operator bool() const { return type != nullptr; }
  /// The type, or `Type::none()`.
  const Type& resolve() const;
};

struct ListType {
  TypeRef element;
  Relationship relationship = Relationship::atomic;
  /// The members that identify an item of an associative list; none: it is a set.
  std::vector<std::string> keys;
};

/// An object: declared members, and the type of all others, if those are allowed.
class MapType {
 public:
  struct Field {
    std::string name;
    TypeRef type;
    /// What stands for an absent member in a list's keys; null: nothing.
    json::Value fallback;
  };

  TypeRef element;
  Relationship relationship = Relationship::separable;

  void add(Field field);
  /// nullptr if it is not declared.
  const Field* find(std::string_view name) const;
  bool has_fields() const { return !fields_.empty(); }

 private:
  /// By name.
  std::vector<Field> fields_;
};

/// The forms that a value may have. None: no value is right.
struct Type {
  std::optional<Scalar> scalar;
  std::optional<ListType> list;
  std::optional<MapType> map;
  /// What is wrong with the type itself; values of it have this error.
  std::string problem;

  /// The type without any form.
  static const Type& none();
};

/// Owns the types of one document, which refer to each other. Moving it keeps them where they are.
class Types {
 public:
  Types();
  Types(Types&&) noexcept;
  Types& operator=(Types&&) noexcept;
  ~Types();

  /// An empty type to fill in.
  Type& add();
  /// What is taken from the value: objects granular, lists atomic.
  TypeRef deduced() const { return {deduced_, true}; }
  /// Anything, and atomic.
  TypeRef untyped() const { return {untyped_, false}; }
  TypeRef scalar(Scalar scalar);
  /// metadata of objects.
  TypeRef object_meta();

 private:
  std::deque<Type> types_;
  const Type* deduced_ = nullptr;
  const Type* untyped_ = nullptr;
  const Type* object_meta_ = nullptr;
};

}  // namespace fairway::apiserver::apply
