// SPDX-License-Identifier: Apache-2.0

// Reconciles ClusterVersion and Channels with the update service and the cluster's metrics.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "kube/controller/manager.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"
#include "operators/channel_list.h"
#include "operators/internal/definition_reader.h"
#include "operators/release.h"
#include "operators/status_report.h"
#include "operators/update_machine.h"
#include "operators/updates.h"

namespace fairway::operators {

struct ControllerSettings {
  UpdateSettings updates;
  /// The release that runs here if ClusterVersion has no history. If given, an absent ClusterVersion is
  /// created.
  std::optional<ListedRelease> release;
};

/// Returns the release that a cluster runs: the newest completed one of its history, or `otherwise`.
ListedRelease running_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise);

/// Returns the release for `status.desired`, from which updates are looked up: the one that is being applied,
/// if there is one, else the one that runs.
ListedRelease desired_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise);

/// Writes the status of a cluster without a history, before the update service is asked: that may take long,
/// and no release is applied before the history has its first entry.
void write_first_status(openshift::ClusterVersion& cluster, const ListedRelease& current, WallTime now);

/// Writes the status according to `inputs`: `write_updates`, a first entry of the history, and whether the
/// components allow another minor version (Upgradeable). Returns what `write_updates` does.
payload::UnlistedUpdates write_status(
    openshift::ClusterVersion& cluster, const UpdateInputs& inputs,
    const std::vector<std::shared_ptr<const openshift::ClusterOperator>>& operators);

class ClusterVersionController {
 public:
  /// Creates the controller. Registry, evaluator, clock and machine must outlive it. Without a machine no
  /// release is applied.
  ClusterVersionController(ControllerSettings settings, const risk::Registry& registry,
                           risk::Evaluator& evaluator, Clock& clock, UpdateMachine* machine = nullptr);

  /// Sets a function that is called with the risks whenever updates or verdicts have changed. Call it before
  /// `add_to`.
  void on_risks(std::function<void(const RiskStatus&)> changed) { report_.on_risks(std::move(changed)); }
  /// Adds the controller and its metrics. `this` must outlive the manager's run.
  void add_to(kube::Manager& manager);
  /// Triggers a reconciliation soon, whatever was planned: the clock was moved.
  void wake() const;

 private:
  Result<kube::Requeue> reconcile(const kube::Context& context, const kube::Key& key,
                                  const openshift::ClusterVersion* cluster);
  Result<kube::Requeue> create(const kube::Context& context);
  Result<void> run_checks(const std::stop_token& stop);
  Result<kube::Requeue> write(const kube::Context& context, const openshift::ClusterVersion& seen,
                              const UpdateInputs& inputs);
  /// Writes a status that the definition of ClusterVersion takes, and tries again without what is refused.
  Result<kube::Requeue> write_fitting(
      const kube::Context& context, const openshift::ClusterVersion& seen,
      const std::function<void(openshift::ClusterVersion&, const ServedDefinition&)>& write);
  /// Makes the finding about channels unknown where another service is to be asked.
  void forget_channels_of_another(const std::string& upstream);
  kube::Requeue next() const;
  /// Cancels a request in progress if ClusterVersion asks for something else by now.
  void observe(const openshift::ClusterVersion& cluster);
  void record_seen(bool seen);
  std::stop_source begin_asking(const openshift::ClusterVersion& cluster);
  /// Returns the URL of the update service; empty: there is none.
  std::string upstream_of(const openshift::ClusterVersion& cluster) const;

  const ControllerSettings settings_;
  Clock& clock_;
  Updates updates_;
  Channels channels_;
  DefinitionReader definition_;
  UpdateMachine* const machine_;
  std::optional<Finding> channels_finding_;
  /// URL of the service that the finding is of.
  std::string channels_upstream_;
  std::mutex asked_mutex_;  ///< guards the two below
  std::string asked_;       ///< the fields of ClusterVersion that the last request depended on
  std::stop_source end_asking_;
  kube::Trigger trigger_;
  std::optional<kube::Informer<openshift::ClusterOperator>> operators_;
  StatusReport report_{settings_.updates, clock_};
  std::mutex seen_mutex_;  ///< guards `seen_`
  std::condition_variable_any seen_changed_;
  /// True if there was a ClusterVersion at the last reconciliation.
  bool seen_ = false;
};

}  // namespace fairway::operators
