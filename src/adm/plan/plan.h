// SPDX-License-Identifier: Apache-2.0

// Plans of several updates: the paths from a cluster's release to a later one, with the risks of each hop.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
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

/// Most hops of a path whose risks are kept and shown, and most risks and names of risks that are: a service
/// may have any number. The others are counted.
inline constexpr std::size_t most_hops = 50, most_risks = 20;

/// Distinct names of risks: the first in byte order, `most_risks` at most, and the number of the others.
struct RiskNames {
  std::vector<std::string> names = {};
  std::size_t more = 0;

  std::size_t count() const { return names.size() + more; }
  bool empty() const { return count() == 0; }
};

/// A risk of a hop.
struct PlannedRisk {
  /// Shared with the graph that the plan was made of; never null.
  std::shared_ptr<const graph::Risk> risk = {};
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
  /// False if it leads out of the cluster's release and the operator does not offer it: the client refuses
  /// it.
  bool is_offered = true;
  /// True if the operator says that it does not recommend the update, and none of its risks says why.
  bool is_objected_to = false;
  /// At most `most_risks` of its risks. Where it has more, those that speak against it are among the first.
  std::vector<PlannedRisk> risks = {};
  std::size_t more_risks = 0;
  /// Names of the risks that speak against it; of these: the risks of the graph that apply, and all that
  /// nobody can judge, without `NotOffered`. Behind the first `most_hops` hops of a path they are counted
  /// only.
  RiskNames open = {}, applying = {}, unknown = {};

  std::size_t risk_count() const { return risks.size() + more_risks; }
};

struct PlannedPath {
  std::vector<PlannedHop> hops = {};
  /// Names of the risks that speak against one of its hops.
  RiskNames open = {};
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
  /// False if there was too much to compare or to keep: a path with fewer risks may exist.
  bool is_complete = true;
  /// False if the graph has not all updates of its channels, since they are too many.
  bool has_all_updates = true;
};

/// Returns the part of a channel's name before its last "-": "stable" of "stable-4.6".
std::string_view stream_of(std::string_view channel);

/// Makes the plan from the release that the cluster has, or is being updated to, to `to`; without paths and
/// without a reason if `to` is that release. Only risks of paths that come into question are judged. Where
/// the operator has judged a risk as well, the stricter verdict counts; an update out of the cluster's
/// release that the operator does not recommend is not recommended here either, and one in the cluster's
/// channel that it does not offer is not known to be recommended. All searches share `budget`. Errors: those
/// of `is_later`; a stop (`cancelled`).
Result<Plan> make_plan(graph::MergedGraph graph, const openshift::ClusterVersion& cluster,
                       std::string_view to, const JudgeRisks& judge, graph::SearchBudget budget = {},
                       const std::stop_token& stop = {});

}  // namespace fairway::adm
