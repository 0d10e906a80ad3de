// Leading: work that only one process of several does, while it holds a Lease.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/metrics.h"
#include "kube/election/election.h"

namespace fairway::kube {

/// Waits for its turn, works, and stops in time. `leads` and `holder` may be called from all threads.
class LeaderElector {
 public:
  /// `registry` may be null. Errors: options that `check` refuses.
  static Result<std::unique_ptr<LeaderElector>> create(std::unique_ptr<LeaseLock> lock, LeaseOptions options,
                                                       Clock& clock, metrics::Registry* registry = nullptr);
  static Result<std::unique_ptr<LeaderElector>> create(const std::shared_ptr<Client>& client,
                                                       const LeaseOptions& options,
                                                       metrics::Registry* registry = nullptr);

  /// Waits until this process leads, and calls `work` on a thread of its own, once. The token that `work`
  /// gets is asked to stop when `stop` is, and when leadership is lost: then another may lead soon, and what
  /// `work` still does is done beside it. Returns when `work` has returned; the lease is renewed until then,
  /// and given back where `release_on_stop` says so. Errors: `conflict` or `unavailable` where leadership was
  /// lost. What `work` throws is thrown on.
  Result<void> run(const std::function<void(const std::stop_token&)>& work, const std::stop_token& stop);

  /// Whether this process leads at this moment, by the rules of `Election`.
  bool leads() const { return election_.leads(); }
  std::string holder() const { return election_.holder(); }
  const std::string& identity() const { return election_.options().identity; }
  /// Brings `leader_election_master_status` up to date: before metrics are read.
  void update_metrics();

 private:
  LeaderElector(std::unique_ptr<LeaseLock> lock, LeaseOptions options, Clock& clock,
                metrics::Registry* registry);

  bool acquire(const std::stop_token& stop);
  /// Renews until `ended`; what went wrong where leadership is lost.
  Result<void> renew(const std::stop_token& ended);
  void pause(double spread, const std::stop_token& stop);
  std::unexpected<Error> not_renewed(const std::string& why) const;
  std::string lease_name() const;

  Election election_;
  Random random_;
  metrics::Gauge status_;
};

}  // namespace fairway::kube
