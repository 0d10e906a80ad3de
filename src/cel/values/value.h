// SPDX-License-Identifier: Apache-2.0

// The values of expressions. They are small and trivially copied: text, lists and maps are referred to, in a
// JSON document, in a program, or in the memory of an evaluation, and a value must not outlive what it refers
// to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "cel/types/type.h"
#include "cel/values/scratch.h"

namespace fairway::cel {

enum class ValueKind : std::uint8_t {
  error,
  null_value,
  boolean,
  integer,
  unsigned_integer,
  floating,
  string,
  bytes,
  timestamp,
  duration,
  list,
  map,
  /// An object with the fields of a declared type, read from JSON.
  object,
  type,
  optional,
  opaque,
};

/// The reason why there is no value, and its position: a byte of the source.
struct EvaluationError {
  std::string_view message = {};
  std::uint32_t offset = 0;
};

/// A time as seconds since 1970 and nanoseconds, [0, 1e9). From year 1 to year 9999.
struct Timestamp {
  std::int64_t seconds = 0;
  std::uint32_t nanoseconds = 0;
};

struct Map;

/// The head of a value of a library, which has its own struct. `type` is an opaque type.
struct Opaque {
  enum class Kind : std::uint8_t {
    quantity,
    url,
    ip,
    cidr,
    semver,
    format,
    authorizer,
    path_check,
    group_check,
    resource_check,
    decision,
  };
  Kind kind = {};
};

class Value {
 public:
  Value() = default;
  static Value null() { return Value(ValueKind::null_value); }
  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value unsigned_integer(std::uint64_t value);
  static Value floating(double value);
  /// Creates a string; it refers to the text.
  static Value string(std::string_view text);
  static Value bytes(std::string_view bytes);
  static Value timestamp(Timestamp value);
  /// Creates a duration in nanoseconds, as in Go.
  static Value duration(std::int64_t nanoseconds);
  /// Creates a list; it refers to the items.
  static Value list(const Value* items, std::size_t count);
  static Value map(const Map* map);
  static Value type(const Type* type);
  /// Creates an optional; nullptr: none.
  static Value optional(const Value* value);
  static Value opaque(const Opaque* value);
  static Value error(const EvaluationError* error);
  /// Reads a JSON value as a type: a number as a double, a string as a timestamp, an object by its fields.
  /// The result refers to the document and the type. An error if text is not of the format that the type
  /// needs.
  static Value of_json(const json::Value& value, const Type& type, Scratch& scratch);
  /// Reads a JSON value without a declared type.
  static Value of_json(const json::Value& value, Scratch& scratch);

  ValueKind kind() const { return kind_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  bool is_true() const { return kind_ == ValueKind::boolean && boolean_; }
  bool is_false() const { return kind_ == ValueKind::boolean && !boolean_; }
  /// Returns whether this is a list or map that is read from a JSON document.
  bool in_document() const { return document_; }

  // The parts of each kind; the caller knows the kind.
  bool boolean() const { return boolean_; }
  std::int64_t integer() const { return integer_; }
  std::uint64_t unsigned_integer() const { return unsigned_; }
  double floating() const { return floating_; }
  /// Returns the text of a string, or the bytes.
  std::string_view text() const { return {text_, count_}; }
  Timestamp timestamp() const { return {integer_, count_}; }
  std::int64_t nanoseconds() const { return integer_; }
  const EvaluationError& error() const { return *error_; }
  const Type& type() const { return *type_; }
  const Opaque& opaque() const { return *opaque_; }
  /// Returns the value in an optional, or nullptr.
  const Value* inside() const { return items_; }
  const json::Array& array() const { return *array_; }
  const json::Object& members() const { return *members_; }
  const Map& native_map() const { return *map_; }
  const Value* native_items() const { return items_; }

  /// Returns the declared type of a list, map or object of a document, or nullptr.
  const Type* declared() const { return declared_; }

  /// Returns the size of a list or map.
  std::size_t size() const;
  /// Returns an item of a list; `index` < size().
  Value at(std::size_t index, Scratch& scratch) const;
  /// Returns the key, or the value, of the entry at an index of a map or object, in the order of the document
  /// or literal.
  Value key_at(std::size_t index) const;
  Value value_at(std::size_t index, Scratch& scratch) const;
  /// Returns the value of a key of a map; 1, 1u and 1.0 are one key.
  std::optional<Value> find(const Value& key, Scratch& scratch) const;
  /// Returns the value of a text key of a map, or of a field of an object by its name in expressions.
  std::optional<Value> find(std::string_view key, Scratch& scratch) const;

 private:
  explicit Value(ValueKind kind) : kind_(kind) {}

  ValueKind kind_ = ValueKind::null_value;
  bool document_ = false;
  /// Length of text, number of items of a native list, or nanoseconds of a timestamp.
  std::uint32_t count_ = 0;
  union {
    bool boolean_;
    std::int64_t integer_ = 0;
    std::uint64_t unsigned_;
    double floating_;
    const char* text_;
    const Value* items_;
    const json::Array* array_;
    const json::Object* members_;
    const Map* map_;
    const Type* type_;
    const Opaque* opaque_;
    const EvaluationError* error_;
  };
  const Type* declared_ = nullptr;
};

inline Value Value::boolean(bool value) {
  Value made(ValueKind::boolean);
  made.boolean_ = value;
  return made;
}
inline Value Value::integer(std::int64_t value) {
  Value made(ValueKind::integer);
  made.integer_ = value;
  return made;
}
inline Value Value::unsigned_integer(std::uint64_t value) {
  Value made(ValueKind::unsigned_integer);
  made.unsigned_ = value;
  return made;
}
inline Value Value::floating(double value) {
  Value made(ValueKind::floating);
  made.floating_ = value;
  return made;
}
inline Value Value::string(std::string_view text) {
  Value made(ValueKind::string);
  made.text_ = text.data();
  made.count_ = static_cast<std::uint32_t>(text.size());
  return made;
}
inline Value Value::bytes(std::string_view bytes) {
  Value made = string(bytes);
  made.kind_ = ValueKind::bytes;
  return made;
}
inline Value Value::timestamp(Timestamp value) {
  Value made(ValueKind::timestamp);
  made.integer_ = value.seconds;
  made.count_ = value.nanoseconds;
  return made;
}
inline Value Value::duration(std::int64_t nanoseconds) {
  Value made(ValueKind::duration);
  made.integer_ = nanoseconds;
  return made;
}
inline Value Value::list(const Value* items, std::size_t count) {
  Value made(ValueKind::list);
  made.items_ = items;
  made.count_ = static_cast<std::uint32_t>(count);
  return made;
}
inline Value Value::map(const Map* map) {
  Value made(ValueKind::map);
  made.map_ = map;
  return made;
}
inline Value Value::type(const Type* type) {
  Value made(ValueKind::type);
  made.type_ = type;
  return made;
}
inline Value Value::optional(const Value* value) {
  Value made(ValueKind::optional);
  made.items_ = value;
  return made;
}
inline Value Value::opaque(const Opaque* value) {
  Value made(ValueKind::opaque);
  made.opaque_ = value;
  return made;
}
inline Value Value::error(const EvaluationError* error) {
  Value made(ValueKind::error);
  made.error_ = error;
  return made;
}

/// Compares as the language does: numbers by value across their types; values of different kinds are unequal.
/// An error if one of them is an error.
bool equal(const Value& a, const Value& b, Scratch& scratch);
/// Returns the type that type(x) gives.
const Type& type_of_value(const Value& value);
/// Returns a value as text, for messages and tests: `{"a": [1, 2u, b"x"]}`.
std::string to_string(const Value& value, Scratch& scratch);
/// Returns a string in the memory of an evaluation; an error if there is no room.
Value copied_string(std::string_view text, Scratch& scratch);
/// Returns an error with a message that is copied.
Value error_value(std::string_view message, Scratch& scratch);

}  // namespace fairway::cel
