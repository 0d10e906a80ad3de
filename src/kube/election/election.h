// SPDX-License-Identifier: Apache-2.0

// One candidate's state in leader election: the observed lease, and whether it leads. No threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "k8s/lease.h"
#include "kube/election/lease_lock.h"
#include "kube/election/lease_options.h"

namespace fairway::kube {

/// Acquires, renews and releases a lease, by the rules of client-go's leaderelection package. Times in the
/// lease are the holder's and are never compared with the local clock: a lease has expired when it has not
/// changed for its duration, by the observer's monotonic clock.
///
/// The leader leads until `renew_deadline` after its last successful write was *sent*. Other candidates
/// observe that write later, and wait for the whole `duration`: so the leader has stopped leading before
/// another candidate can acquire the lease, even if it hangs.
///
/// `leads`, `leads_until` and `holder` may be called from all threads, the rest from one.
class Election {
 public:
  /// Creates an election. `options` must have an identity and be valid (`check`).
  Election(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock);

  enum class Outcome {
    leads,
    follows,  ///< another candidate holds the lease
    failed,   ///< unknown: the server is unreachable, or the write conflicted
  };
  /// Tries to acquire or renew the lease. `limits` apply to all its requests together.
  Outcome attempt(const Limits& limits);
  /// Stops leading and, with `release_on_stop`, releases the lease if held. Best effort: otherwise the lease
  /// expires.
  void release(const Limits& limits);

  bool leads() const;
  /// Returns the time at which it stops leading unless the lease is renewed; std::nullopt if it does not
  /// lead.
  std::optional<SteadyTime> leads_until() const;
  /// Returns the observed holder of the lease; empty: none.
  std::string holder() const;
  /// Returns the error of the last attempt; empty if it succeeded.
  const std::string& last_error() const { return last_error_; }
  const LeaseOptions& options() const { return options_; }
  Clock& clock() const { return clock_; }

 private:
  /// The observed lease, and when this state was first observed.
  struct Observed {
    k8s::Lease lease = {};
    SteadyTime since = {};
  };

  bool is_ours(const k8s::Lease& lease) const { return lease.holder() == options_.identity; }
  bool may_still_be_held(SteadyTime now) const;
  void observe(k8s::Lease lease);
  Outcome write(const k8s::Lease& next, bool is_new, const Limits& limits);
  Outcome failed(std::string why);
  void set_leads_until(std::optional<SteadyTime> until);

  const std::unique_ptr<LeaseLock> lock_;
  const LeaseOptions options_;
  Clock& clock_;
  std::optional<Observed> observed_;
  std::string last_error_;
  mutable std::mutex mutex_;
  std::optional<SteadyTime> leads_until_;
  std::string holder_;
};

}  // namespace fairway::kube
