// SPDX-License-Identifier: Apache-2.0

// Plans of several updates: the paths from a cluster's release to a later one, with the risks of each hop.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adm/plan/judged_risk.h"
#include "base/result.h"
#include "graph/merged_graph.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// A risk of a hop.
struct PlannedRisk {
  const graph::Risk* risk = nullptr;
  JudgedRisk judged = {};
};

/// One update of a path.
struct PlannedHop {
  std::string from = {}, to = {};
  std::string image = {};
  /// Channel that has the update, and whether the cluster's channel has to be changed to it before this hop.
  std::string channel = {};
  bool changes_channel = false;
  /// False if the release before the hop is not said to be in the channel: the change needs a flag.
  bool channel_is_listed = true;
  /// True if the hop goes to another minor version, or to another major one.
  bool changes_minor = false;
  std::vector<PlannedRisk> risks = {};

  /// Returns the distinct names of the risks that speak against the hop.
  std::vector<std::string> open_risks() const;
};

struct PlannedPath {
  std::vector<PlannedHop> hops = {};
  /// The distinct names of the risks that speak against one of its hops.
  std::vector<std::string> open_risks = {};
  /// True if it needs channels of another stream than the cluster's: fast-4.7 beside stable-4.6.
  bool leaves_stream = false;
};

struct Plan {
  std::string from = {}, to = {};
  /// Paths, the one with the fewest risks that speak against it first, then the one with the fewest hops. A
  /// later one has fewer hops, or stays in the stream of the cluster's channel.
  std::vector<PlannedPath> paths = {};
  /// Reason why there is no path; empty: there is one, or the cluster is at the release.
  std::string reason = {};
  /// False if the search ended early: a path with fewer risks may exist.
  bool is_complete = true;
};

/// Returns the part of a channel's name before its last "-": "stable" of "stable-4.6".
std::string_view stream_of(std::string_view channel);

/// Returns whether `to` is later than the release that the cluster has, or is being updated to; false: it is
/// that release. Errors (`invalid`): a version that is none, or an older one.
Result<bool> is_later(const openshift::ClusterVersion& cluster, std::string_view to);

/// Makes the plan from the release that the cluster has, or is being updated to, to `to`; without paths and
/// without a reason if `to` is that release. Only risks of paths that come into question are judged. Errors:
/// those of `is_later`.
Result<Plan> make_plan(const graph::MergedGraph& graph, const openshift::ClusterVersion& cluster,
                       std::string_view to, const JudgeRisks& judge);

}  // namespace fairway::adm
