// SPDX-License-Identifier: Apache-2.0

// Types of values for server-side apply: which lists are sets, maps or atomic.
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

/// Granularity of the ownership of items or members. `separable`, `associative`: per item; `atomic`: as a
/// whole.
enum class Relationship : std::uint8_t { separable, associative, atomic };

/// The type of a member or an item. Refers to a type that a `Types` owns.
struct TypeRef {
  /// The type; nullptr: nothing is declared.
  const Type* type = nullptr;
  /// True if the type is taken from the value because there is no schema for it.
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
    /// Value that stands for an absent member in a list's keys; null: there is none.
    json::Value fallback;
  };

  TypeRef element;
  Relationship relationship = Relationship::separable;

  void add(Field field);
  /// Finds a declared member; nullptr if it is not declared.
  const Field* find(std::string_view name) const;
  bool has_fields() const { return !fields_.empty(); }

 private:
  /// Declared members, sorted by name.
  std::vector<Field> fields_;
};

/// The forms that a value may have. Without any form, no value is valid.
struct Type {
  std::optional<Scalar> scalar;
  std::optional<ListType> list;
  std::optional<MapType> map;
  /// Fault of the type itself; values of it have this error.
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

  /// Adds an empty type to fill in.
  Type& add();
  /// The type that is taken from the value: objects are granular, lists atomic.
  TypeRef deduced() const { return {deduced_, true}; }
  /// The type of any value, which is atomic.
  TypeRef untyped() const { return {untyped_, false}; }
  TypeRef scalar(Scalar scalar);
  /// The type of objects' metadata.
  TypeRef object_meta();

 private:
  std::deque<Type> types_;
  const Type* deduced_ = nullptr;
  const Type* untyped_ = nullptr;
  const Type* object_meta_ = nullptr;
};

}  // namespace fairway::apiserver::apply
