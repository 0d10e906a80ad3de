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

/// Under which values an object is found in an index: none, one or several. Called again for the same object
/// when it goes, and must say the same then. An object for which it throws is in the index under no value.
using IndexFunction = std::function<std::vector<std::string>(const k8s::Dynamic& object)>;

/// What became of one object. `before` is absent for a new one, `now` for one that is gone; then `before` is
/// the last that is known of it.
struct StoreChange {
  SharedObject before, now;
};

/// Safe from all threads; writers exclude each other and readers, and no reader sees half of a `replace`.
/// What is handed out stays as it is, whatever happens to the store.
class Store {
 public:
  /// Adds an index; one with that name that is there already stays, and false is returned.
  bool add_index(const std::string& name, IndexFunction function);

  /// nullptr where it is not there.
  SharedObject find(const KeyView& key) const;
  /// In the order of namespace and name; all of them where the namespace is empty.
  std::vector<SharedObject> list(std::string_view namespace_name = {}) const;
  /// std::nullopt where there is no such index.
  std::optional<std::vector<SharedObject>> by_index(std::string_view index, std::string_view value) const;
  std::size_t size() const;

  /// Enters an object in place of the one with its key, which is returned.
  SharedObject put(const SharedObject& object);
  /// nullptr if it was not there.
  SharedObject erase(const KeyView& key);
  /// Makes `objects`, which are of the namespace, all that there is in it (empty: in all), and says what that
  /// changed: first what is gone, then the rest, each in the order of namespace and name. The same uid and
  /// resourceVersion in both is no change.
  std::vector<StoreChange> replace(ObjectMap objects, std::string_view namespace_name = {});
  /// Replaces each object by what `make` makes of it; its key must stay.
  void remake(const std::function<SharedObject(const k8s::Dynamic& object)>& make);

 private:
  struct Index {
    std::string name;
    IndexFunction values_of;
    std::map<std::string, ObjectMap, std::less<>> objects;

    void enter(const SharedObject& object);
    void leave(const k8s::Dynamic& object);
    /// Nothing where the function throws, which is logged.
    std::optional<std::vector<std::string>> values(const k8s::Dynamic& object) const;
  };

  mutable std::shared_mutex mutex_;
  ObjectMap objects_;
  std::map<std::string, Index, std::less<>> indexes_;
};

}  // namespace fairway::kube
