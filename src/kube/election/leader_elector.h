// SPDX-License-Identifier: Apache-2.0

// Leader election: runs work while this process holds a Lease.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/metrics.h"
#include "kube/election/election.h"

namespace fairway::kube {

/// Acquires the lease, runs the work, stops it when leadership ends. `leads` and `holder` may be called from
/// all threads.
class LeaderElector {
 public:
  /// Creates an elector. `registry` may be null. Errors: invalid options (`check`).
  static Result<std::unique_ptr<LeaderElector>> create(std::unique_ptr<LeaseLock> lock, LeaseOptions options,
                                                       Clock& clock, metrics::Registry* registry = nullptr);
  static Result<std::unique_ptr<LeaderElector>> create(const std::shared_ptr<Client>& client,
                                                       const LeaseOptions& options,
                                                       metrics::Registry* registry = nullptr);

  /// Waits until this process leads, and calls `work` once, on a separate thread. The token of `work` is
  /// stopped when `stop` is, and when leadership is lost: another process may then become leader while `work`
  /// is still running. Returns when `work` has returned; until then the lease is renewed, and with
  /// `release_on_stop` it is then released. Errors: `conflict` or `unavailable` if leadership was lost.
  /// Exceptions of `work` are rethrown.
  Result<void> run(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);

  /// Returns whether this process currently leads, by the rules of `Election`.
  bool leads() const { return election_.leads(); }
  std::string holder() const { return election_.holder(); }
  const std::string& identity() const { return election_.options().identity; }
  /// Updates `leader_election_master_status`; call it before metrics are read.
  void update_metrics();

 private:
  LeaderElector(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock,
                metrics::Registry* registry);

  bool acquire(const std::stop_token& stop);
  /// Renews the lease until `ended`; an error if leadership is lost.
  Result<void> renew(const std::stop_token& ended);
  void pause(double spread, const std::stop_token& stop);
  std::unexpected<Error> not_renewed(const std::string& why) const;
  std::string lease_name() const;

  Election election_;
  Random random_;
  metrics::Gauge status_;
};

}  // namespace fairway::kube
