// What is known of a cluster's updates, for those who do not read ClusterVersion: metrics, events, the risks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kube/controller/manager.h"
#include "operators/risk_status.h"
#include "operators/status_events.h"
#include "operators/status_metrics.h"
#include "operators/updates.h"

namespace fairway::operators {

/// Called by one thread at a time.
class StatusReport {
 public:
  /// `settings` of the operator; the clock must outlive it.
  StatusReport(const UpdateSettings& settings, const Clock& clock)
      : accept_risks_(settings.accept_risks), started_(clock.now()) {}

  /// Adds metrics, the page /risks, and what watches ClusterOperators. `this` outlives the manager's run.
  void add_to(kube::Manager& manager);

  /// ClusterVersion as it was seen; nullptr: there is none. What was written comes back this way, so that
  /// nothing is said that the server did not take. `upstream` is where updates are asked for.
  void note(const kube::Context& context, const openshift::ClusterVersion* cluster,
            std::string_view upstream);
  /// What was found of the updates.
  void note(const Updates& updates);

 private:
  void note_risks(const Updates& updates);

  const bool accept_risks_;
  const WallTime started_;
  metrics::Registry* registry_ = nullptr;
  StatusMetrics metrics_;
  RiskStatusPage risks_;
  /// Of the status that was seen last.
  std::optional<StatusDigest> digest_;
  /// `Updates::changes` when it was last looked at.
  std::optional<std::uint64_t> noted_;
};

}  // namespace fairway::operators
