// SPDX-License-Identifier: Apache-2.0

// Lists whose items have keys: finding them by those, and putting them in order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "base/result.h"

namespace fairway::k8s {

/// Returns the key that identifies an item: its member `merge_key`, or, if that is empty, the item itself,
/// which must be a text, a number or a boolean. Equal numbers have one key.
Result<std::string> item_key(const json::Value& item, std::string_view merge_key);

/// Positions of a list's items by their keys; if several have one key, that of the first.
class ItemOrder {
 public:
  static Result<ItemOrder> of(const json::Array& list, std::string_view merge_key);
  void add(std::string key) { places_.emplace(std::move(key), size_++); }
  std::optional<std::size_t> find(const std::string& key) const;

 private:
  std::unordered_map<std::string, std::size_t> places_;
  std::size_t size_ = 0;
};

/// Sorts a merged list: items of the patch are in the order of the patch, the others in the order that they
/// had before, each as near to its old neighbours as that allows. Every item must have a key.
json::Array sorted(json::Array merged, std::string_view merge_key, const ItemOrder& patch_order,
                   const ItemOrder& old_order);

/// Checks that the items of a patch are in a `$setElementOrder` list, in the same order; items with `$patch`
/// need not be in it.
Result<void> check_order(const json::Array& patch, const json::Array& wanted, std::string_view merge_key);

}  // namespace fairway::k8s
