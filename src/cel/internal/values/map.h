// SPDX-License-Identifier: Apache-2.0

// Maps that an expression makes.
#pragma once

#include <cstdint>

#include "cel/values/value.h"

namespace fairway::cel {

struct Entry {
  Value key, value;
};

/// Entries in the order in which they were added, with an index by key if there are many.
struct Map {
  const Entry* entries = nullptr;
  std::uint32_t count = 0;
  /// Hash table with open addressing, a power of two of slots: 1 + the index of the entry, 0 if free. nullptr
  /// for few entries.
  const std::uint32_t* slots = nullptr;
  std::uint32_t mask = 0;
};

/// Builds a map of a fixed capacity.
class MapBuilder {
 public:
  /// Creates a builder. `ok()` is false if there is no room.
  MapBuilder(std::size_t capacity, Scratch& scratch);
  bool ok() const { return map_ != nullptr; }
  /// Adds an entry; false if the key is there already. The key is a bool, int, uint or string.
  bool add(const Value& key, const Value& value);
  Value take() const { return Value::map(map_); }

 private:
  Map* map_ = nullptr;
  Entry* entries_ = nullptr;
  std::uint32_t* slots_ = nullptr;
};

const Entry* find_entry(const Map& map, const Value& key);
/// Returns whether two keys are equal: numbers by value.
bool same_key(const Value& a, const Value& b);

}  // namespace fairway::cel
