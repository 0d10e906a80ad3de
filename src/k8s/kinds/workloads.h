// SPDX-License-Identifier: Apache-2.0

// Workloads: Deployments, DaemonSets, StatefulSets and Jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "k8s/internal/kinds/openapi_apps.h"
#include "k8s/internal/kinds/openapi_batch.h"
#include "k8s/kinds/checked.h"
#include "k8s/kinds/pod.h"

namespace fairway::k8s {

/// The common part of all workloads: a template of pods, and their selector.
template <const openapi::Definition& definition>
class Workload : public Checked<Dynamic, definition> {
 public:
  using Checked<Dynamic, definition>::Checked;

  PodTemplate pod_template() const { return this->template at<PodTemplate>("spec.template"); }
  PodTemplateEditor edit_pod_template() { return this->template edit<PodTemplateEditor>("spec.template"); }
  /// Returns the selector (see `LabelSelector::from`); nullptr if absent.
  const json::Value* selector() const { return this->find("spec.selector"); }
  /// Adds a label to the selector and to the template, which must agree. Selectors are immutable.
  void select(std::string_view key, std::string_view value) {
    this->set_entry("spec.selector.matchLabels", key, value);
    edit_pod_template().set_label(key, value);
  }
};

/// The common part of the workloads of apps/v1, whose status names the generation that it is about.
template <const openapi::Definition& definition>
class Rollout : public Workload<definition> {
 public:
  using Workload<definition>::Workload;

  /// Returns the generation that the status is about; 0: none yet.
  std::int64_t observed_generation() const { return this->integer("status.observedGeneration"); }
};

class Deployment : public Rollout<openapi::deployment> {
 public:
  static constexpr Resource resource{"apps", "v1", "Deployment", "deployments"};
  using Rollout::Rollout;

  std::int64_t replicas() const { return integer("spec.replicas", 1); }
  void set_replicas(std::int64_t count) { set("spec.replicas", count); }
  bool paused() const { return flag("spec.paused"); }
  /// "RollingUpdate" or "Recreate".
  std::string_view strategy() const { return text("spec.strategy.type", "RollingUpdate"); }
  /// Pods of all revisions, and those of the current one.
  std::int64_t status_replicas() const { return integer("status.replicas"); }
  std::int64_t updated_replicas() const { return integer("status.updatedReplicas"); }
  std::int64_t ready_replicas() const { return integer("status.readyReplicas"); }
  std::int64_t available_replicas() const { return integer("status.availableReplicas"); }
  std::int64_t unavailable_replicas() const { return integer("status.unavailableReplicas"); }
};

class DaemonSet : public Rollout<openapi::daemon_set> {
 public:
  static constexpr Resource resource{"apps", "v1", "DaemonSet", "daemonsets"};
  using Rollout::Rollout;

  /// "RollingUpdate" or "OnDelete".
  std::string_view update_strategy() const { return text("spec.updateStrategy.type", "RollingUpdate"); }
  /// Number of nodes that should run a pod, that run one, and that run one but should not.
  std::int64_t desired() const { return integer("status.desiredNumberScheduled"); }
  std::int64_t current() const { return integer("status.currentNumberScheduled"); }
  std::int64_t misscheduled() const { return integer("status.numberMisscheduled"); }
  /// Nodes with a pod of the current template.
  std::int64_t updated() const { return integer("status.updatedNumberScheduled"); }
  std::int64_t ready() const { return integer("status.numberReady"); }
  std::int64_t available() const { return integer("status.numberAvailable"); }
};

class StatefulSet : public Rollout<openapi::stateful_set> {
 public:
  static constexpr Resource resource{"apps", "v1", "StatefulSet", "statefulsets"};
  using Rollout::Rollout;

  std::int64_t replicas() const { return integer("spec.replicas", 1); }
  void set_replicas(std::int64_t count) { set("spec.replicas", count); }
  /// "RollingUpdate" or "OnDelete".
  std::string_view update_strategy() const { return text("spec.updateStrategy.type", "RollingUpdate"); }
  /// Ordinal below which pods are not updated.
  std::int64_t partition() const { return integer("spec.updateStrategy.rollingUpdate.partition"); }
  std::int64_t status_replicas() const { return integer("status.replicas"); }
  std::int64_t updated_replicas() const { return integer("status.updatedReplicas"); }
  std::int64_t current_replicas() const { return integer("status.currentReplicas"); }
  std::int64_t ready_replicas() const { return integer("status.readyReplicas"); }
  std::int64_t available_replicas() const { return integer("status.availableReplicas"); }
  std::string_view current_revision() const { return text("status.currentRevision"); }
  std::string_view update_revision() const { return text("status.updateRevision"); }
};

class Job : public Workload<openapi::job> {
 public:
  static constexpr Resource resource{"batch", "v1", "Job", "jobs"};
  using Workload::Workload;

  /// Number of pods that must succeed; std::nullopt: one, and its success ends the Job.
  std::optional<std::int64_t> completions() const { return find_integer("spec.completions"); }
  std::int64_t parallelism() const { return integer("spec.parallelism", 1); }
  bool suspended() const { return flag("spec.suspend"); }
  std::int64_t active() const { return integer("status.active"); }
  std::int64_t succeeded() const { return integer("status.succeeded"); }
  std::int64_t failed() const { return integer("status.failed"); }
  std::optional<WallTime> started() const { return find_time("status.startTime"); }
  std::optional<WallTime> completed() const { return find_time("status.completionTime"); }
  bool is_complete() const { return condition_is_true("Complete"); }
  bool has_failed() const { return condition_is_true("Failed"); }
};

}  // namespace fairway::k8s
