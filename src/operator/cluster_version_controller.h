// Keeps ClusterVersion and the Channels as the update service and the metrics of the cluster say.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "kube/controller/manager.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"
#include "operator/channel_list.h"
#include "operator/release.h"
#include "operator/status_report.h"
#include "operator/update_machine.h"
#include "operator/updates.h"

namespace fairway::operators {

struct ControllerSettings {
  UpdateSettings updates;
  /// What runs here, where ClusterVersion has no history; with it a ClusterVersion that is absent is created.
  std::optional<Release> release;
};

/// The release that a cluster runs: the newest completed one of its history, or `otherwise`.
Release running_release(const openshift::ClusterVersion& cluster, const std::optional<Release>& otherwise);

/// The release that `status.desired` tells, and that updates are looked for from: the one that is being
/// applied, if there is one, or else the one that runs.
Release desired_release(const openshift::ClusterVersion& cluster, const std::optional<Release>& otherwise);

/// The status with what `inputs` say: `write_updates`, a first entry of the history, and whether the
/// components allow another minor version (Upgradeable).
void write_status(openshift::ClusterVersion& cluster, const UpdateInputs& inputs,
                  const std::vector<std::shared_ptr<const openshift::ClusterOperator>>& operators);

class ClusterVersionController {
 public:
  /// Registry, evaluator, clock and machine must outlive it. Without a machine no release is applied.
  ClusterVersionController(ControllerSettings settings, const risk::Registry& registry,
                           risk::Evaluator& evaluator, Clock& clock, UpdateMachine* machine = nullptr);

  /// Adds the controller and its metrics. `this` outlives the manager's run.
  void add_to(kube::Manager& manager);
  /// Reconciles soon, whatever was planned: the clock was moved.
  void wake() const;

 private:
  Result<kube::Requeue> reconcile(const kube::Context& context, const kube::Key& key,
                                  const openshift::ClusterVersion* cluster);
  Result<kube::Requeue> create(const kube::Context& context);
  Result<void> keep_channels(const kube::Context& context, const std::map<std::string, std::string>& wanted);
  Result<void> run_checks(const std::stop_token& stop);
  kube::Requeue next() const;
  /// Where updates are asked for; empty: nowhere.
  std::string upstream_of(const openshift::ClusterVersion& cluster) const;

  const ControllerSettings settings_;
  Clock& clock_;
  Updates updates_;
  Channels channels_;
  UpdateMachine* const machine_;
  std::optional<Finding> channels_finding_;
  kube::Trigger trigger_;
  std::optional<kube::Informer<openshift::ClusterOperator>> operators_;
  StatusReport report_{settings_.updates, clock_};
  /// Whether there is a ClusterVersion, as far as was seen.
  std::atomic<bool> seen_{false};
};

}  // namespace fairway::operators
