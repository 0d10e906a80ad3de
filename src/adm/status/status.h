// `adm upgrade status`: how an update is going.
#pragma once

#include <string>
#include <vector>

#include "adm/answer.h"
#include "base/clock.h"
#include "k8s/object.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct StatusFlags {
  /// Which sections in detail: none, all, nodes, health or operators.
  std::string details = "none";

  bool shows(std::string_view section) const { return details == "all" || details == section; }
};

/// What was read from the cluster.
struct StatusInput {
  openshift::ClusterVersion cluster;
  std::vector<openshift::ClusterOperator> operators;
  /// MachineConfigPools, MachineConfigs and Nodes; none where the cluster has none.
  std::vector<k8s::Dynamic> pools, configs, nodes;
  /// The image of the machine config operator that runs; empty: not known. During a migration to several
  /// architectures the version stays, and only the image tells what is updated.
  std::string machine_config_operator_image;
  /// The answer of Prometheus's GET /api/v1/alerts; empty: not known.
  std::string alerts;
  /// When this was read.
  WallTime now;
  /// True if these are recorded objects, and `now` the time of the last change in them.
  bool recorded = false;
  /// The machine's time, which decides how long a node may be unavailable before that is worth saying. It
  /// differs from `now` in recorded data.
  WallTime machine_now;
};

/// The latest time that recorded data names: what `now` was for it.
WallTime latest_transition(const openshift::ClusterVersion& cluster,
                           const std::vector<openshift::ClusterOperator>& operators);

/// Checks what can be checked without the cluster. `arguments` are positional ones, of which there are none.
CommandResult check(const StatusFlags& flags, const std::vector<std::string>& arguments);

/// Shows the control plane, the worker pools and what to know about them.
CommandResult status(const StatusFlags& flags, const StatusInput& input);

}  // namespace fairway::adm
