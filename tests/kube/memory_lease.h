// SPDX-License-Identifier: Apache-2.0

// The one Lease of an election, kept as a server keeps it.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "k8s/lease.h"
#include "k8s/status.h"
#include "kube/election/lease_lock.h"
#include "kube/election/lease_options.h"

namespace fairway::kube::testing {

/// A lease in memory. Safe from all threads.
class MemoryLease {
 public:
  ApiResult<k8s::Lease> get() {
    const std::lock_guard lock(mutex_);
    if (!lease_) return refuse(k8s::reason::not_found);
    return *lease_;
  }
  ApiResult<k8s::Lease> create(const k8s::Lease& lease) {
    const std::lock_guard lock(mutex_);
    if (lease_) return refuse(k8s::reason::already_exists);
    return store(lease);
  }
  ApiResult<k8s::Lease> replace(const k8s::Lease& lease) {
    const std::lock_guard lock(mutex_);
    if (!lease_) return refuse(k8s::reason::not_found);
    if (lease.resource_version() != lease_->resource_version()) return refuse(k8s::reason::conflict);
    return store(lease);
  }
  void remove() {
    const std::lock_guard lock(mutex_);
    lease_.reset();
  }
  /// Returns the current lease; empty if there is none.
  k8s::Lease now() {
    const std::lock_guard lock(mutex_);
    return lease_.value_or(k8s::Lease());
  }

  static std::unexpected<ApiError> refuse(std::string_view reason) {
    return std::unexpected(ApiError("the test", k8s::Status::failure(reason, "as the test wants it")));
  }

 private:
  k8s::Lease store(k8s::Lease lease) {
    lease.set_resource_version(std::to_string(++version_));
    lease_ = lease;
    return lease;
  }

  std::mutex mutex_;
  std::optional<k8s::Lease> lease_;
  int version_ = 0;
};

/// A lock on a MemoryLease, without any faults.
class MemoryLock final : public LeaseLock {
 public:
  explicit MemoryLock(MemoryLease& lease) : lease_(lease) {}
  ApiResult<k8s::Lease> get(const Limits&) override { return lease_.get(); }
  ApiResult<k8s::Lease> create(const k8s::Lease& lease, const Limits&) override {
    return lease_.create(lease);
  }
  ApiResult<k8s::Lease> replace(const k8s::Lease& lease, const Limits&) override {
    return lease_.replace(lease);
  }

 private:
  MemoryLease& lease_;
};

inline LeaseOptions lease_options(std::string identity) {
  LeaseOptions options;
  options.namespace_name = "fairway-system";
  options.name = "operator";
  options.identity = std::move(identity);
  options.random = [] { return 0.5; };
  return options;
}

}  // namespace fairway::kube::testing
