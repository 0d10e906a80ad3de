// SPDX-License-Identifier: Apache-2.0

// The status of a cluster's updates for those who do not read ClusterVersion: metrics, events, the risks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "kube/controller/manager.h"
#include "operators/risk_status.h"
#include "operators/status_events.h"
#include "operators/status_metrics.h"
#include "operators/updates.h"

namespace fairway::operators {

/// Called by one thread at a time.
class StatusReport {
 public:
  /// Creates a report. `settings` are the operator's; the clock is read once.
  StatusReport(const UpdateSettings& settings, const Clock& clock)
      : accept_risks_(settings.accept_risks), started_(clock.now()) {}

  /// Sets a function that is called with the risks whenever updates or verdicts have changed. Call it before
  /// the first record.
  void on_risks(std::function<void(const RiskStatus&)> changed) { on_risks_ = std::move(changed); }
  /// Adds metrics, the page /risks, and a watch of ClusterOperators. `this` must outlive the manager's run.
  void add_to(kube::Manager& manager);

  /// Records ClusterVersion as it was read; nullptr: there is none. Own writes come back this way, so that
  /// only changes that the server accepted are reported. `upstream` is the URL of the update service.
  void record(const kube::Context& context, const openshift::ClusterVersion* cluster,
              std::string_view upstream);
  /// Records the updates and the verdicts on them.
  void record(const Updates& updates);

 private:
  void record_risks(const Updates& updates);

  const bool accept_risks_;
  std::function<void(const RiskStatus&)> on_risks_;
  const WallTime started_;
  metrics::Registry* registry_ = nullptr;
  StatusMetrics metrics_;
  RiskStatusPage risks_;
  /// Digest of the status that was read last.
  std::optional<StatusDigest> digest_;
  /// Value of `Updates::changes` at the last record.
  std::optional<std::uint64_t> recorded_changes_;
};

}  // namespace fairway::operators
