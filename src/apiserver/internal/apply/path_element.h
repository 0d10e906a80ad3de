// SPDX-License-Identifier: Apache-2.0

// The name of a child of a value: one step of a field path of managedFields.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"

namespace fairway::apiserver::apply {

/// One step of a field path: a member of an object, an item of a list by its keys, an item of a set by its
/// value, or an item of an atomic list by its index. The order is that of FieldsV1.
/// Rules: sigs.k8s.io/structured-merge-diff/v6/fieldpath.
class PathElement {
 public:
  struct Field {
    std::string name;
  };
  /// The members that identify an item, sorted by name.
  struct Key {
    std::vector<std::pair<std::string, json::Value>> fields;
  };
  struct Item {
    json::Value value;
  };
  struct Index {
    std::int64_t index = 0;
  };

  static PathElement field(std::string_view name) { return PathElement(Field{std::string(name)}); }
  /// Makes the element of an item by its keys. Sorts `fields`.
  static PathElement key(std::vector<std::pair<std::string, json::Value>> fields);
  static PathElement item(const json::Value& value);
  static PathElement index(std::int64_t index) { return PathElement(Index{index}); }

  /// The member's name; nullptr for items of lists.
  const std::string* field_name() const;
  /// The keys; nullptr if it is not an item by keys.
  const Key* if_key() const { return std::get_if<Key>(&element_); }

  /// Compares two elements. Negative, 0 or positive.
  int compare(const PathElement& other) const;
  friend bool operator==(const PathElement& a, const PathElement& b) { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b) {
    return a.compare(b) <=> 0;
  }

  /// The element as in messages: `.name`, `[key="value"]`, `[="value"]`, `[0]`.
  std::string to_string() const;
  /// The element as in FieldsV1: `f:name`, `k:{"name":"web"}`, `v:"value"`, `i:0`.
  std::string serialize() const;

 private:
  using Variant = std::variant<Field, Key, Item, Index>;
  explicit PathElement(Variant element) : element_(std::move(element)) {}
  Variant element_;
};

using Path = std::vector<PathElement>;

/// The path as in messages: `.spec.ports[port=80,protocol="TCP"].name`.
std::string to_string(const Path& path);
/// A path of members only.
Path path_of(const std::vector<std::string_view>& names);

}  // namespace fairway::apiserver::apply
