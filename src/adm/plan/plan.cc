// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "adm/internal/plan/planner.h"
#include "adm/plan/progress.h"
#include "base/semver.h"

namespace fairway::adm {
namespace {

using graph::MergedGraph;
using openshift::ClusterVersion;

/// Returns why a release is in none of the channels, and which one is there instead.
std::string why_missing(const MergedGraph& graph, const std::string& version, const std::string& channels) {
  const std::string missing = "no release " + version + " is in " + channels;
  const auto number = Version::parse(version);
  const auto same = std::ranges::find_if(graph.releases, [&](const MergedGraph::Release& one) {
    return number && compare_precedence(one.number, *number) == 0;
  });
  if (same != graph.releases.end())
    return missing + ", but " + same->version + ", which differs in its build alone";
  return missing + ", whose highest is " + graph.releases.back().version;
}

std::string why_none(const MergedGraph& graph, std::optional<std::uint32_t> from,
                     std::optional<std::uint32_t> to, const Plan& plan) {
  if (graph.releases.empty()) return "the channels that were asked have no releases";
  const std::string channels = graph.channels.size() == 1 ? "channel " + graph.channels.front()
                                                          : "the " + std::to_string(graph.channels.size()) +
                                                                " channels that were asked";
  if (!from) return why_missing(graph, plan.from, channels);
  if (!to) return why_missing(graph, plan.to, channels);
  const std::uint32_t highest = graph::highest_reached(graph, *from);
  std::string reason = highest == *from ? "no update leads out of " + plan.from
                                        : "updates out of " + plan.from + " lead up to " +
                                              graph.releases[highest].version + " and not to " + plan.to;
  reason += " in " + channels;
  const auto left_out =
      std::ranges::find(graph.left_out, plan.to, &std::pair<std::string, std::string>::second);
  if (left_out != graph.left_out.end()) {
    reason += "; the service has an update from " + left_out->first + " to " + left_out->second +
              ", which no cluster accepts, because it leaves out a minor version";
  }
  if (!graph.is_complete) reason += "; the channels have too many updates or risks, and some were left out";
  return reason;
}

}  // namespace

std::string_view stream_of(std::string_view channel) {
  return channel.substr(0, channel.rfind('-'));
}

Result<Plan> make_plan(MergedGraph graph, const ClusterVersion& cluster, std::string_view to,
                       const JudgeRisks& judge, graph::SearchBudget budget, const std::stop_token& stop) {
  Plan plan{.from = std::string(cluster.desired().version()), .to = std::string(to)};
  const auto has_way = is_later(cluster, to);
  if (!has_way) return fail(has_way.error());
  if (!*has_way) return plan;
  plan.is_complete = plan.has_all_updates = graph.is_complete;
  const auto whole = std::make_shared<MergedGraph>(std::move(graph));
  const auto first = whole->find(plan.from), last = whole->find(plan.to);
  if (first && last) Planner(whole, cluster, judge, budget, stop).find(*first, *last, plan);
  if (stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped making the plan to " + plan.to);
  if (plan.paths.empty()) plan.reason = why_none(*whole, first, last, plan);
  return plan;
}

}  // namespace fairway::adm
