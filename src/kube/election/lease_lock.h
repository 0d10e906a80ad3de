// SPDX-License-Identifier: Apache-2.0

// Reading and writing the one Lease that an election is about.
#pragma once

#include <memory>

#include "k8s/lease.h"
#include "kube/client/client.h"

namespace fairway::kube {

/// The Lease operations an elector needs; tests provide a fake.
class LeaseLock {
 public:
  virtual ~LeaseLock() = default;
  virtual ApiResult<k8s::Lease> get(const Limits& limits) = 0;
  virtual ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits& limits) = 0;
  /// Replaces the lease; a conflict if the resourceVersion is not the newest.
  virtual ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits& limits) = 0;
};

/// Returns the lease of that name on the client's server.
std::unique_ptr<LeaseLock> lease_on(std::shared_ptr<Client> client, k8s::Key key);

}  // namespace fairway::kube
