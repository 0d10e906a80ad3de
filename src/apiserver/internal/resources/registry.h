// The resources that the server serves, at this moment.
#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <vector>

#include "apiserver/internal/resources/served_resource.h"

namespace fairway::apiserver {

/// Resources come and go one by one, while requests are served: those in flight keep what they have found.
/// Safe from all threads.
class ResourceRegistry {
 public:
  /// Adds a resource, or replaces it. False: it is a custom one, and one that is built in has its name or
  /// its kind.
  bool put(ServedResource resource);
  /// False if there is none.
  bool remove(const k8s::GroupVersionResource& resource);

  /// Null if it is not served.
  ServedResourcePtr find(const k8s::GroupVersionResource& resource) const;
  /// By kind, in any of the kind's versions if `kind.version` is empty.
  ServedResourcePtr find_kind(const k8s::GroupVersionKind& kind) const;
  /// In the order of group, version and plural.
  std::vector<ServedResourcePtr> all() const;
  /// Grows with every change: what was made from `all` is out of date when it differs.
  std::uint64_t generation() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<k8s::GroupVersionResource, ServedResourcePtr> resources_;
  std::map<k8s::GroupVersionKind, ServedResourcePtr> kinds_;
  std::uint64_t generation_ = 0;
};

}  // namespace fairway::apiserver
