// SPDX-License-Identifier: Apache-2.0

// Items of a list that is a map, by their keys.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/json.h"

namespace fairway::validation_rules {

/// The items of an array by their keys. Refers to the array.
class KeyedItems {
 public:
  /// Indexes the items. `keys`: x-kubernetes-list-map-keys; without keys nothing is found. The first of
  /// several items with the same keys counts.
  KeyedItems(const json::Array& items, std::vector<std::string> keys);

  /// The item that has the same keys as `item`; nullptr if there is none.
  const json::Value* find(const json::Value& item) const;

 private:
  std::optional<std::string> key_of(const json::Value& item) const;

  std::vector<std::string> keys_;
  std::unordered_map<std::string, const json::Value*> items_;
};

}  // namespace fairway::validation_rules
