// Objects by namespace and name.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// An object that many hold and nobody changes.
using SharedObject = std::shared_ptr<const k8s::Dynamic>;

/// Which object, as texts that belong to somebody else.
struct KeyView {
  std::string_view namespace_name, name;

  static KeyView of(const k8s::Key& key) { return {key.namespace_name, key.name}; }
  static KeyView of(const k8s::Dynamic& object) { return {object.namespace_name(), object.name()}; }
  friend auto operator<=>(const KeyView&, const KeyView&) = default;
};

/// In the order of namespace and name, so that one namespace lies together. The keys are the objects' own
/// texts: an entry costs no more than its node.
class ObjectMap {
 public:
  /// nullptr where it is not there.
  SharedObject find(const KeyView& key) const;
  /// Enters an object in place of the one with its key, which is returned.
  SharedObject put(SharedObject object);
  /// nullptr if it was not there.
  SharedObject erase(const KeyView& key);
  void append_to(std::vector<SharedObject>& list) const;
  void append_namespace_to(std::string_view namespace_name, std::vector<SharedObject>& list) const;
  std::size_t size() const { return objects_.size(); }
  bool empty() const { return objects_.empty(); }
  void clear() { objects_.clear(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::map<KeyView, SharedObject> objects_;
};

}  // namespace fairway::kube
