// SPDX-License-Identifier: Apache-2.0

// The policy as it is stored, at any moment.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/storage/storage.h"
#include "base/clock.h"
#include "base/result.h"

namespace fairway::apiserver::access {

/// Reads roles and bindings from the storage, and their changes at each request for the policy. A request
/// thus sees every right that was granted or revoked before it came. Safe from all threads.
class LivePolicy {
 public:
  /// Makes the policy of a storage, which must outlive this.
  explicit LivePolicy(storage::Storage& storage) : storage_(storage) {}

  /// Writes the objects of the default policy that the storage lacks, in few commits. With `aggregate`, new
  /// roles that aggregate others have their rules at once. Errors: the storage could not be read or written.
  Result<void> write_defaults(Clock& clock, const std::function<std::string()>& make_uid, bool aggregate);

  /// Returns the policy with everything that is written by now. It is empty if the storage cannot be read:
  /// then only members of system:masters have rights.
  std::shared_ptr<const Policy> current();

 private:
  Result<void> follow();
  bool read_changes();

  storage::Storage& storage_;
  std::mutex mutex_;
  /// One watch for each of the four kinds; empty: everything has to be read anew.
  std::array<std::unique_ptr<storage::Watch>, 4> watches_;
  storage::Revision read_until_ = 0;
  std::shared_ptr<const Policy> policy_ = std::make_shared<Policy>();
};

}  // namespace fairway::apiserver::access
