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

/// Reads roles and bindings out of the storage, and their changes when it is asked: a request sees every
/// right that was given or taken before it came. Safe from all threads.
class LivePolicy {
 public:
  /// `storage` must outlive this.
  explicit LivePolicy(storage::Storage& storage) : storage_(storage) {}

  /// Writes what the storage lacks of the default policy, in as few commits as the storage makes of it. With
  /// `aggregate` new roles that are made of others have their rules at once. Errors: the storage could not be
  /// read or written.
  Result<void> write_defaults(Clock& clock, const std::function<std::string()>& make_uid, bool aggregate);

  /// The policy of everything that is written by now. Where the storage cannot be read it is empty: nobody
  /// has a right but the members of system:masters.
  std::shared_ptr<const Policy> current();

 private:
  Result<void> follow();
  bool read_changes();

  storage::Storage& storage_;
  std::mutex mutex_;
  /// One for each of the four kinds; empty: to be read anew.
  std::array<std::unique_ptr<storage::Watch>, 4> watches_;
  storage::Revision read_until_ = 0;
  std::shared_ptr<const Policy> policy_ = std::make_shared<Policy>();
};

}  // namespace fairway::apiserver::access
