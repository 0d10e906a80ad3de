// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/registry.h"

#include <mutex>

namespace fairway::apiserver::resources {

bool ResourceRegistry::put(ServedResource resource) {
  auto shared = std::make_shared<const ServedResource>(std::move(resource));
  const std::unique_lock lock(mutex_);
  const auto is_built_in = [](const auto& known, const auto& key) {
    const auto found = known.find(key);
    return found != known.end() && !found->second->is_custom;
  };
  if (shared->is_custom &&
      (is_built_in(kinds_, shared->kind) || is_built_in(resources_, shared->group_version_resource()))) {
    return false;
  }
  kinds_.insert_or_assign(shared->kind, shared);
  resources_.insert_or_assign(shared->group_version_resource(), std::move(shared));
  ++generation_;
  return true;
}

bool ResourceRegistry::remove(const k8s::GroupVersionResource& resource) {
  const std::unique_lock lock(mutex_);
  const auto found = resources_.find(resource);
  if (found == resources_.end()) return false;
  kinds_.erase(found->second->kind);
  resources_.erase(found);
  ++generation_;
  return true;
}

ServedResourcePtr ResourceRegistry::find(const k8s::GroupVersionResource& resource) const {
  const std::shared_lock lock(mutex_);
  const auto found = resources_.find(resource);
  return found == resources_.end() ? nullptr : found->second;
}

ServedResourcePtr ResourceRegistry::find_kind(const k8s::GroupVersionKind& kind) const {
  const std::shared_lock lock(mutex_);
  if (!kind.version.empty()) {
    const auto found = kinds_.find(kind);
    return found == kinds_.end() ? nullptr : found->second;
  }
  for (const auto& [known, resource] : kinds_) {
    if (known.group == kind.group && known.kind == kind.kind) return resource;
  }
  return nullptr;
}

std::vector<ServedResourcePtr> ResourceRegistry::all() const {
  const std::shared_lock lock(mutex_);
  std::vector<ServedResourcePtr> all;
  all.reserve(resources_.size());
  for (const auto& [name, resource] : resources_) all.push_back(resource);
  return all;
}

std::uint64_t ResourceRegistry::generation() const {
  const std::shared_lock lock(mutex_);
  return generation_;
}

}  // namespace fairway::apiserver::resources
