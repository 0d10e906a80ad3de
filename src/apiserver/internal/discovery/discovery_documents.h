// SPDX-License-Identifier: Apache-2.0

// The discovery documents of the server, at /api and /apis.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "apiserver/internal/resources/registry.h"
#include "k8s/wire/discovery.h"

namespace fairway::apiserver::discovery {

/// The documents of /api and /apis, rebuilt when the resources have changed. Safe from all threads.
class DiscoveryDocuments {
 public:
  explicit DiscoveryDocuments(const resources::ResourceRegistry& registry) : registry_(registry) {}

  /// Returns all groups in the order of kube-apiserver, the core group first.
  std::shared_ptr<const k8s::Discovery> current();

 private:
  const resources::ResourceRegistry& registry_;
  std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::shared_ptr<const k8s::Discovery> made_;
};

}  // namespace fairway::apiserver::discovery
