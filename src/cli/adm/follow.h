// SPDX-License-Identifier: Apache-2.0

// `adm upgrade --wait`: follows an update of a live cluster to its outcome.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <optional>
#include <string>

#include "adm/caller.h"
#include "adm/follow/follower.h"
#include "adm/request.h"
#include "base/limits.h"
#include "base/result.h"
#include "cli/adm/cluster.h"
#include "openshift/cluster_version.h"

namespace fairway::cli {

struct FollowFlags {
  bool wait = false;
  /// The limit as it was given; empty: none.
  std::string timeout;
};

/// Adds --wait and --timeout.
void add_follow_flags(CLI::App& command, FollowFlags& flags);

/// Returns the limit of the wait; std::nullopt: there is none. Errors: flags that do not go with `--wait`, or
/// need it; a limit that cannot be read.
Result<std::optional<std::chrono::seconds>> check(const FollowFlags& flags, const adm::RequestFlags& request,
                                                  const ClusterFlags& cluster);

/// Follows the update until it has ended, the limit has passed, or it is stopped; prints each change, and
/// returns the exit code: 0 if the update is completed. `now` is the ClusterVersion as it was read last;
/// `limits` hold for the whole command, and `limit` is the text of their deadline.
int follow(const Cluster& cluster, adm::Follower follower, const openshift::ClusterVersion& now,
           std::optional<std::chrono::seconds> limit, const std::string& output, const adm::Caller& caller,
           const Limits& limits);

}  // namespace fairway::cli
