// SPDX-License-Identifier: Apache-2.0

// `adm upgrade status`: how an update is going.
#pragma once

#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "base/clock.h"
#include "k8s/object.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct StatusFlags {
  /// Sections that are shown in detail: none, all, nodes, health or operators.
  std::string details = "none";
  Caller caller = {};

  bool shows(std::string_view section) const { return details == "all" || details == section; }
};

/// The objects and alerts that were read from the cluster.
struct StatusInput {
  openshift::ClusterVersion cluster;
  std::vector<openshift::ClusterOperator> operators;
  /// MachineConfigPools, MachineConfigs and Nodes; empty if the cluster has none.
  std::vector<k8s::Dynamic> pools, configs, nodes;
  /// The image of the machine config operator that runs; empty: unknown. During a migration to several
  /// architectures the version stays, and only the image tells which nodes are updated.
  std::string machine_config_operator_image;
  /// The answer of Prometheus's GET /api/v1/alerts; empty: unknown.
  std::string alerts;
  /// Time at which this was read.
  WallTime now;
  /// True if these are recorded objects, and `now` the time of the last change in them.
  bool recorded = false;
  /// The machine's time, which decides whether a node's unavailability is old enough to be reported. It
  /// differs from `now` in recorded data.
  WallTime machine_now;
};

/// Returns the latest time in recorded data, which is used as `now`.
WallTime latest_transition(const openshift::ClusterVersion& cluster,
                           const std::vector<openshift::ClusterOperator>& operators);

/// Checks the flags as far as possible without the cluster. `arguments` are the positional ones, which are
/// not allowed.
CommandResult check(const StatusFlags& flags, const std::vector<std::string>& arguments);

/// Shows the control plane, the worker pools and the insights about them.
CommandResult status(const StatusFlags& flags, const StatusInput& input);

}  // namespace fairway::adm
