// SPDX-License-Identifier: Apache-2.0

// The control plane during an update: its operators, and an estimate of the time that is left.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adm/internal/status/insight.h"
#include "adm/status/status.h"
#include "base/clock.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Returns whether the version stays, and only the image changes.
bool is_multi_arch_migration(const openshift::ClusterVersion& cluster);

/// The section "= Control Plane =" up to its operators, and the insights about them.
struct ControlPlane {
  std::string text;
  std::vector<Insight> insights;
  json::Object data;
};

ControlPlane assess_control_plane(const StatusFlags& flags, const StatusInput& input);

}  // namespace fairway::adm
