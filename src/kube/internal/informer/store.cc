// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/store.h"

#include <exception>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/log.h"

namespace fairway::kube {

void Store::Index::enter(const SharedObject& object) {
  auto under = values(*object);
  if (!under) return;
  for (std::string& value : *under) objects[std::move(value)].put(object);
}

void Store::Index::leave(const k8s::Dynamic& object) {
  const auto under = values(object);
  if (!under) {
    // Under which values it was entered is not known: it must not stay under any.
    for (auto at = objects.begin(); at != objects.end();) {
      at->second.erase(KeyView::of(object));
      at = at->second.empty() ? objects.erase(at) : std::next(at);
    }
    return;
  }
  for (const std::string& value : *under) {
    const auto found = objects.find(value);
    if (found == objects.end()) continue;
    found->second.erase(KeyView::of(object));
    if (found->second.empty()) objects.erase(found);
  }
}

std::optional<std::vector<std::string>> Store::Index::values(const k8s::Dynamic& object) const {
  try {
    return values_of(object);
  } catch (const std::exception& fault) {
    log::error("the function of an index has thrown; the object is not in the index",
               {{"index", name}, {"object", object.key().to_string()}, {"what", fault.what()}});
    return std::nullopt;
  }
}

bool Store::add_index(const std::string& name, IndexFunction function) {
  const std::unique_lock lock(mutex_);
  const auto [entry, added] = indexes_.try_emplace(name);
  if (!added) return false;
  entry->second.name = name;
  entry->second.values_of = std::move(function);
  for (const auto& [key, object] : objects_) entry->second.enter(object);
  return true;
}

SharedObject Store::find(const KeyView& key) const {
  const std::shared_lock lock(mutex_);
  return objects_.find(key);
}

std::vector<SharedObject> Store::list(std::string_view namespace_name) const {
  const std::shared_lock lock(mutex_);
  return objects_.list(namespace_name);
}

std::optional<std::vector<SharedObject>> Store::by_index(std::string_view index,
                                                         std::string_view value) const {
  const std::shared_lock lock(mutex_);
  const auto known = indexes_.find(index);
  if (known == indexes_.end()) return std::nullopt;
  const auto found = known->second.objects.find(value);
  if (found == known->second.objects.end()) return std::vector<SharedObject>();
  return found->second.list();
}

std::size_t Store::size() const {
  const std::shared_lock lock(mutex_);
  return objects_.size();
}

SharedObject Store::put(const SharedObject& object) {
  const std::unique_lock lock(mutex_);
  SharedObject before = objects_.put(object);
  for (auto& [name, index] : indexes_) {
    if (before) index.leave(*before);
    index.enter(object);
  }
  return before;
}

SharedObject Store::erase(const KeyView& key) {
  const std::unique_lock lock(mutex_);
  SharedObject before = objects_.erase(key);
  for (auto& [name, index] : indexes_) {
    if (before) index.leave(*before);
  }
  return before;
}

std::vector<StoreChange> Store::replace(ObjectMap objects, std::string_view namespace_name) {
  std::vector<StoreChange> changes;
  const std::unique_lock lock(mutex_);
  for (const auto& [key, object] : objects_.in_namespace(namespace_name)) {
    if (!objects.find(key)) changes.push_back({object, nullptr});
  }
  for (const auto& [key, object] : objects) {
    SharedObject before = objects_.find(key);
    if (before != object) changes.push_back({std::move(before), object});
  }
  for (auto& [name, index] : indexes_) {
    for (const StoreChange& change : changes) {
      if (change.before) index.leave(*change.before);
      if (change.now) index.enter(change.now);
    }
  }
  if (namespace_name.empty()) {
    std::swap(objects_, objects);
  } else {
    objects_.swap_namespace(namespace_name, objects);
  }
  std::erase_if(changes, [](const StoreChange& change) {
    return change.before && change.now && change.before->uid() == change.now->uid() &&
           change.before->resource_version() == change.now->resource_version();
  });
  return changes;
}

void Store::remake(const std::function<SharedObject(const k8s::Dynamic& object)>& make) {
  const std::unique_lock lock(mutex_);
  ObjectMap remade;
  for (const auto& [key, object] : objects_) remade.put(make(*object));
  objects_ = std::move(remade);
  for (auto& [name, index] : indexes_) {
    index.objects.clear();
    for (const auto& [key, object] : objects_) index.enter(object);
  }
}

}  // namespace fairway::kube
