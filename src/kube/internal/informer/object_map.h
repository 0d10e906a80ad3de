// SPDX-License-Identifier: Apache-2.0

// Objects by namespace and name.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <ranges>
#include <string_view>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// A shared object that nobody changes.
using SharedObject = std::shared_ptr<const k8s::Dynamic>;

/// A key as views into texts that another object owns.
struct KeyView {
  std::string_view namespace_name = {}, name = {};

  static KeyView of(const k8s::Key& key) { return {key.namespace_name, key.name}; }
  static KeyView of(const k8s::Dynamic& object) { return {object.namespace_name(), object.name()}; }
  friend auto operator<=>(const KeyView&, const KeyView&) = default;
};

/// Objects in the order of namespace and name, so that those of one namespace are adjacent. The keys are
/// views into the objects: an entry costs no more than its node.
class ObjectMap {
 public:
  /// Returns the object; nullptr if it is not there.
  SharedObject find(const KeyView& key) const;
  /// Puts an object in place of the one with its key, which is returned.
  SharedObject put(SharedObject object);
  /// Removes and returns an object; nullptr if it was not there.
  SharedObject erase(const KeyView& key);
  /// Returns the objects of one namespace; all if it is empty.
  std::vector<SharedObject> list(std::string_view namespace_name = {}) const;
  /// Swaps the objects of one namespace with those of `other`, which has objects of that namespace only.
  void swap_namespace(std::string_view namespace_name, ObjectMap& other);
  std::size_t size() const { return objects_.size(); }
  bool empty() const { return objects_.empty(); }
  void clear() { objects_.clear(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }
  /// Returns the range of the objects of one namespace; all if it is empty.
  auto in_namespace(std::string_view namespace_name) const {
    if (namespace_name.empty()) return std::ranges::subrange(objects_.begin(), objects_.end());
    const auto first = objects_.lower_bound({namespace_name, {}});
    auto last = first;
    while (last != objects_.end() && last->first.namespace_name == namespace_name) ++last;
    return std::ranges::subrange(first, last);
  }

 private:
  std::map<KeyView, SharedObject> objects_;
};

}  // namespace fairway::kube
