// One process's view of an election: what it has seen of the lease, and whether it leads. No threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "k8s/lease.h"
#include "kube/election/internal/lease_lock.h"
#include "kube/election/lease_options.h"

namespace fairway::kube {

/// The rules are client-go's (facts: kubernetes, Leader election). Times in the lease are its holder's and
/// are never compared with the clock here: a lease has run out when nothing in it has changed for as long as
/// it lasts, by the steady time of whoever looks.
///
/// The leader believes in itself for `renew_deadline` from when its last good write was *sent*. Others see
/// that write later than that, and wait for the whole `duration`: so it has stopped believing before anybody
/// can take the lease, whatever hangs.
///
/// `leads`, `leads_until` and `holder` may be called from all threads, the rest from one.
class Election {
 public:
  /// `options` have an identity and have been checked.
  Election(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock);

  enum class Outcome {
    leads,
    follows,  ///< another holds the lease
    failed,   ///< nothing is known: the server could not be asked, or others were faster
  };
  /// Tries to become, or to stay, the leader.
  Outcome attempt(const Limits& limits);
  /// Stops leading and empties the lease, where it is this process's and `release_on_stop` says so. Best
  /// effort: otherwise it runs out.
  void release(const Limits& limits);

  bool leads() const;
  /// When it stops to lead unless it renews the lease; nothing where it does not lead.
  std::optional<SteadyTime> leads_until() const;
  /// Who holds the lease as far as is known; empty: nobody.
  std::string holder() const;
  /// Why the last attempt failed; empty where it did not.
  const std::string& last_error() const { return last_error_; }
  const LeaseOptions& options() const { return options_; }
  Clock& clock() const { return clock_; }

 private:
  /// What has been seen of the lease, and when it was first seen like that.
  struct Observed {
    k8s::Lease lease;
    SteadyTime since;
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
