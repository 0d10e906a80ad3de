// SPDX-License-Identifier: Apache-2.0

// `adm upgrade plan --watch`: a plan that is made again until the cluster is at its release.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "adm/answer.h"
#include "base/result.h"
#include "cli/adm/cluster.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

struct PlanWatchFlags {
  bool watch = false;
  /// The time between two plans as it was given; empty: the default.
  std::string every;
};

/// Adds --watch and --every.
void add_plan_watch_flags(CLI::App& command, PlanWatchFlags& flags);

/// Returns the time between two plans; std::nullopt: there is one plan only. Errors: --every without --watch,
/// or no duration; a recorded cluster.
Result<std::optional<std::chrono::seconds>> check(const PlanWatchFlags& flags, const ClusterFlags& cluster);

/// Makes the plan of a ClusterVersion.
using MakePlan =
    std::function<adm::CommandResult(const openshift::ClusterVersion& version, const std::stop_token& stop)>;

/// Makes the plan to `to` again every `every`, and sooner when the ClusterVersion changes; prints it first,
/// and again when it differs. In between, what a running update says is a line each. A plan that fails later
/// is a warning, and so is an API server that does not answer. Returns 0 when the cluster has arrived at the
/// release; 1 if the first plan fails, at a stop, when the cluster has passed the release, and when the
/// credentials are refused for long.
int watch_plan(const Cluster& cluster, const std::string& to, std::chrono::seconds every,
               const std::string& output, const MakePlan& make, const std::stop_token& stop);

}  // namespace fairway::cli
