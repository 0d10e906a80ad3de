// SPDX-License-Identifier: Apache-2.0

// The objects that an informer knows, and indexes over them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kube/internal/informer/object_map.h"

namespace fairway::kube {

/// Returns the values under which an object is found in an index: none, one or several. Called again for the
/// same object when it is removed, and must return the same values. An object for which it throws has no
/// value in the index.
using IndexFunction = std::function<std::vector<std::string>(const k8s::Dynamic& object)>;

/// A change of one object. `before` is absent for a new one, `now` for a removed one; then `before` is its
/// last known state.
struct StoreChange {
  SharedObject before = {}, now = {};
};

/// The objects of an informer, with indexes. Safe from all threads; writers exclude each other and readers,
/// and no reader sees half of a `replace`. Returned objects stay as they are, whatever happens to the store.
class Store {
 public:
  /// Adds an index. If there is one with that name, that one stays, and false is returned.
  bool add_index(const std::string& name, IndexFunction function);

  /// Returns the object; nullptr if it is not there.
  SharedObject find(const KeyView& key) const;
  /// Returns the objects in the order of namespace and name; all of them if the namespace is empty.
  std::vector<SharedObject> list(std::string_view namespace_name = {}) const;
  /// Returns the objects with that value in the index; std::nullopt if there is no such index.
  std::optional<std::vector<SharedObject>> by_index(std::string_view index, std::string_view value) const;
  std::size_t size() const;

  /// Puts an object in place of the one with its key, which is returned.
  SharedObject put(const SharedObject& object);
  /// Removes and returns an object; nullptr if it was not there.
  SharedObject erase(const KeyView& key);
  /// Replaces all objects of the namespace (empty: of all namespaces) by `objects`, which must be of it, and
  /// returns the changes: first removals, then the rest, each in the order of namespace and name. An object
  /// with the same uid and resourceVersion in both is unchanged.
  std::vector<StoreChange> replace(ObjectMap objects, std::string_view namespace_name = {});
  /// Replaces each object by the one that `make` returns for it; its key must stay.
  void remake(const std::function<SharedObject(const k8s::Dynamic& object)>& make);

 private:
  struct Index {
    std::string name = {};
    IndexFunction values_of = {};
    std::map<std::string, ObjectMap, std::less<>> objects = {};

    void enter(const SharedObject& object);
    void leave(const k8s::Dynamic& object);
    /// Returns the values; std::nullopt if the function throws, which is logged.
    std::optional<std::vector<std::string>> values(const k8s::Dynamic& object) const;
  };

  mutable std::shared_mutex mutex_;
  ObjectMap objects_;
  std::map<std::string, Index, std::less<>> indexes_;
};

}  // namespace fairway::kube
