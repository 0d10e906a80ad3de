// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/object_map.h"

#include <iterator>
#include <utility>

namespace fairway::kube {

SharedObject ObjectMap::find(const KeyView& key) const {
  const auto found = objects_.find(key);
  return found != objects_.end() ? found->second : nullptr;
}

SharedObject ObjectMap::put(SharedObject object) {
  const KeyView key = KeyView::of(*object);
  const auto found = objects_.lower_bound(key);
  if (found == objects_.end() || found->first != key) {
    objects_.emplace_hint(found, key, std::move(object));
    return nullptr;
  }
  // The key is a text of the object that goes.
  const auto behind = std::next(found);
  auto node = objects_.extract(found);
  SharedObject before = std::exchange(node.mapped(), std::move(object));
  node.key() = key;
  objects_.insert(behind, std::move(node));
  return before;
}

SharedObject ObjectMap::erase(const KeyView& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  SharedObject before = std::move(found->second);
  objects_.erase(found);
  return before;
}

std::vector<SharedObject> ObjectMap::list(std::string_view namespace_name) const {
  std::vector<SharedObject> result;
  if (namespace_name.empty()) result.reserve(objects_.size());
  for (const auto& [key, object] : in_namespace(namespace_name)) result.push_back(object);
  return result;
}

void ObjectMap::swap_namespace(std::string_view namespace_name, ObjectMap& other) {
  std::map<KeyView, SharedObject> taken;
  for (auto at = objects_.lower_bound({namespace_name, {}});
       at != objects_.end() && at->first.namespace_name == namespace_name;) {
    taken.insert(taken.end(), objects_.extract(at++));
  }
  objects_.merge(other.objects_);
  other.objects_ = std::move(taken);
}

}  // namespace fairway::kube
