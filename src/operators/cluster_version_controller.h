// Reconciles ClusterVersion and Channels with the update service and the cluster's metrics.
#pragma once

#include <condition_variable>
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
#include "operators/release.h"
#include "operators/status_report.h"
#include "operators/update_machine.h"
#include "operators/updates.h"

namespace fairway::operators {

struct ControllerSettings {
  UpdateSettings updates;
  /// What runs here, where ClusterVersion has no history; with it a ClusterVersion that is absent is created.
  std::optional<ListedRelease> release;
};

/// The release that a cluster runs: the newest completed one of its history, or `otherwise`.
ListedRelease running_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise);

/// The release that `status.desired` tells, and that updates are looked for from: the one that is being
/// applied, if there is one, or else the one that runs.
ListedRelease desired_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise);

/// The status of a cluster without a history, before the update service is asked: it may take its time, and
/// no release is applied before the history has its first entry.
void write_first_status(openshift::ClusterVersion& cluster, const ListedRelease& current, WallTime now);

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
  Result<void> run_checks(const std::stop_token& stop);
  Result<kube::Requeue> write(const kube::Context& context, const openshift::ClusterVersion& seen,
                              const UpdateInputs& inputs);
  kube::Requeue next() const;
  /// Ends a request that is under way where ClusterVersion asks for something else by now.
  void observe(const openshift::ClusterVersion& cluster);
  void note_seen(bool seen);
  std::stop_source begin_asking(const openshift::ClusterVersion& cluster);
  /// Where updates are asked for; empty: nowhere.
  std::string upstream_of(const openshift::ClusterVersion& cluster) const;

  const ControllerSettings settings_;
  Clock& clock_;
  Updates updates_;
  Channels channels_;
  UpdateMachine* const machine_;
  std::optional<Finding> channels_finding_;
  std::mutex asked_mutex_;  ///< of the two below
  std::string asked_;       ///< what of ClusterVersion the update service is asked about
  std::stop_source end_asking_;
  kube::Trigger trigger_;
  std::optional<kube::Informer<openshift::ClusterOperator>> operators_;
  StatusReport report_{settings_.updates, clock_};
  std::mutex seen_mutex_;  ///< of the two below
  std::condition_variable_any seen_changed_;
  /// True if there is a ClusterVersion, as far as was seen.
  bool seen_ = false;
};

}  // namespace fairway::operators
