// SPDX-License-Identifier: Apache-2.0

// The resources that the server serves, at this moment.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <vector>

#include "apiserver/internal/resources/served_resource.h"

namespace fairway::apiserver::resources {

/// The resources that are served. They come and go one by one, while requests are served: requests in flight
/// keep the resource that they have found. Safe from all threads.
class ResourceRegistry {
 public:
  /// Adds a resource, or replaces it. Returns false if it is a custom one whose name or kind a built-in one
  /// has.
  bool put(ServedResource resource);
  /// Removes a resource. Returns false if there is none.
  bool remove(const k8s::GroupVersionResource& resource);

  /// Finds a resource; null if it is not served.
  ServedResourcePtr find(const k8s::GroupVersionResource& resource) const;
  /// Finds a resource by its kind, in any of the kind's versions if `kind.version` is empty.
  ServedResourcePtr find_kind(const k8s::GroupVersionKind& kind) const;
  /// Returns all resources in the order of group, version and plural.
  std::vector<ServedResourcePtr> all() const;
  /// Number that grows with every change. Values made from `all` are out of date when it differs.
  std::uint64_t generation() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<k8s::GroupVersionResource, ServedResourcePtr> resources_;
  std::map<k8s::GroupVersionKind, ServedResourcePtr> kinds_;
  std::uint64_t generation_ = 0;
};

}  // namespace fairway::apiserver::resources
