#include "kube/informer/internal/object_map.h"

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

void ObjectMap::append_to(std::vector<SharedObject>& list) const {
  list.reserve(list.size() + objects_.size());
  for (const auto& [key, object] : objects_) list.push_back(object);
}

void ObjectMap::append_namespace_to(std::string_view namespace_name, std::vector<SharedObject>& list) const {
  for (auto at = objects_.lower_bound({namespace_name, {}});
       at != objects_.end() && at->first.namespace_name == namespace_name; ++at) {
    list.push_back(at->second);
  }
}

}  // namespace fairway::kube
