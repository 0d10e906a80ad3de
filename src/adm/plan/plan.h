// SPDX-License-Identifier: Apache-2.0

// Plans of several updates: the paths from a cluster's release to a later one, with the risks of each hop.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adm/plan/judged_risk.h"
#include "base/result.h"
#include "graph/fewest_risks.h"
#include "graph/merged_graph.h"
#include "graph/risk.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// A risk of a hop.
struct PlannedRisk {
  graph::Risk risk = {};
  JudgedRisk judged = {};
  /// True if it is no risk of the graph: what the operator says against the update, in its own words.
  bool is_of_operator = false;
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
  /// False if there was too much to compare: a path with fewer risks may exist.
  bool is_complete = true;
};

/// Returns the part of a channel's name before its last "-": "stable" of "stable-4.6".
std::string_view stream_of(std::string_view channel);

/// Returns whether `to` is later than the release that the cluster has, or is being updated to; false: it is
/// that release. Errors (`invalid`): a version that is none, or an older one.
Result<bool> is_later(const openshift::ClusterVersion& cluster, std::string_view to);

/// Place of a cluster on the way to a release.
enum class Progress {
  on_the_way,
  arrived,  ///< it has completed the update to it, or to another build of it
  passed,   ///< it has a later release, or is being updated to one, and never completed this one
};

/// Returns where the cluster is on the way to `to`. Versions that differ in their build metadata alone are
/// the same (SemVer 2.0.0, section 10). What is no version is on the way.
Progress progress_to(const openshift::ClusterVersion& cluster, std::string_view to);

/// Makes the plan from the release that the cluster has, or is being updated to, to `to`; without paths and
/// without a reason if `to` is that release. Only risks of paths that come into question are judged. Where
/// the operator has judged a risk as well, the stricter verdict counts; an update out of the cluster's
/// release that the operator does not recommend is not recommended here either. All searches share `budget`.
/// Errors: those of `is_later`.
Result<Plan> make_plan(graph::MergedGraph graph, const openshift::ClusterVersion& cluster,
                       std::string_view to, const JudgeRisks& judge, graph::SearchBudget budget = {});

}  // namespace fairway::adm
