// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/planner.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "adm/internal/plan/planned_paths.h"
#include "base/cut_text.h"

namespace fairway::adm {
namespace {

/// Longest reason of a verdict that is kept, in bytes.
constexpr std::size_t max_reason = 500;

}  // namespace

Planner::Planner(std::shared_ptr<graph::MergedGraph> graph, const openshift::ClusterVersion& cluster,
                 const JudgeRisks& judge, graph::SearchBudget& budget, const std::stop_token& stop)
    : known_{.graph = std::move(graph)},
      graph_(*known_.graph),
      cluster_(cluster),
      judge_(judge),
      budget_(budget),
      stop_(stop),
      accepts_risks_(adm::accepts_risks(cluster)),
      verdicts_(cluster),
      offered_(cluster) {
  known_.judged.resize(graph_.risks.size());
  known_.is_of_operator.resize(graph_.risks.size());
  const std::string_view stream = stream_of(cluster.channel());
  for (const std::string& channel : graph_.channels)
    known_.preferred.push_back(cluster.channel().empty() || stream_of(channel) == stream);
}

/// Judges the risks of these paths that have not been judged. Returns whether there were any.
bool Planner::judge_risks_of(const std::vector<PathPositions>& paths) {
  std::vector<bool> is_open(graph_.risks.size());
  for (const PathPositions& path : paths)
    for (const std::uint32_t update : path)
      for (const std::uint32_t risk : graph_.risks_of(graph_.updates[update]))
        if (!known_.judged[risk]) is_open[risk] = true;
  std::vector<const graph::Risk*> asked;
  PathPositions positions;
  for (std::uint32_t risk = 0; risk < is_open.size(); ++risk) {
    if (!is_open[risk]) continue;
    asked.push_back(&graph_.risks[risk]);
    positions.push_back(risk);
  }
  if (asked.empty()) return false;
  std::vector<JudgedRisk> verdicts = judge_(asked);
  for (std::size_t i = 0; i < positions.size(); ++i) judge(positions[i], std::move(verdicts.at(i)));
  return true;
}

/// Takes the verdict on a risk, or the operator's own one where that is stricter.
void Planner::judge(std::uint32_t risk, JudgedRisk verdict) {
  const graph::Risk& judged = graph_.risks[risk];
  const auto own = verdicts_.find(judged);
  if (own) verdict = stricter_of(std::move(verdict), *own);
  // Operators accept what applies, and nothing else: a risk that they cannot judge speaks against the update,
  // accepted or not, and whatever another judge says.
  if (verdict.state == RiskState::applies && accepts_risks_ && is_accepted(judged, cluster_)) {
    if (own && own->state == RiskState::unknown) {
      verdict = *own;
    } else {
      verdict.state = RiskState::accepted;
    }
  }
  verdict.reason = cut_text(verdict.reason, max_reason);
  known_.judged[risk] = std::move(verdict);
}

/// Returns whether the risks of an update say all that the operator does: one has the verdict of the
/// operator on the update, and each that the operator has for it is among them. Otherwise a flag for the
/// risks that are shown would take others, too.
bool Planner::explains(std::uint32_t update, const Objection& objection) const {
  bool has_verdict = false;
  std::set<std::string_view> names;
  for (const std::uint32_t risk : graph_.risks_of(graph_.updates[update])) {
    const auto& judged = known_.judged[risk];
    has_verdict = has_verdict || (judged && judged->state == objection.judged.state);
    names.insert(graph_.risks[risk].name);
  }
  return has_verdict &&
         std::ranges::all_of(objection.names, [&](const auto& name) { return names.contains(name); });
}

bool Planner::is_in_channel(std::uint32_t update) const {
  return std::ranges::any_of(graph_.updates[update].channels, [&](std::uint32_t channel) {
    return graph_.channels[channel] == cluster_.channel();
  });
}

/// Adds what the operator says against updates out of the cluster's release, where their risks do not say it
/// all, and that it does not offer them. Returns whether there were any.
bool Planner::obey_operator(const std::vector<PathPositions>& paths) {
  bool has_added = false;
  for (const PathPositions& path : paths) {
    const std::uint32_t update = path.front();
    const std::string& version = graph_.releases[graph_.updates[update].to].version;
    const Objection* against = offered_.against(version);
    if (against != nullptr && !known_.objected_to.contains(update) && !explains(update, *against)) {
      known_.objected_to.insert(update);
      add_risk(update, *against);
      has_added = true;
    }
    const Objection* lack = is_in_channel(update) ? offered_.lack(version) : nullptr;
    if (lack != nullptr && known_.not_offered.insert(update).second) {
      add_risk(update, *lack);
      has_added = true;
    }
  }
  return has_added;
}

void Planner::add_risk(std::uint32_t update, const Objection& objection) {
  const auto position = static_cast<std::uint32_t>(graph_.risks.size());
  const auto same_name = std::ranges::find(graph_.risks, objection.risk.name, &graph::Risk::name);
  graph_.name_of.push_back(same_name == graph_.risks.end()
                               ? static_cast<std::uint32_t>(graph_.names++)
                               : graph_.name_of[static_cast<std::size_t>(same_name - graph_.risks.begin())]);
  graph_.risks.push_back(objection.risk);
  known_.judged.emplace_back(objection.judged);
  known_.is_of_operator.push_back(true);
  std::vector<std::uint32_t> list = graph_.risks_of(graph_.updates[update]);
  list.push_back(position);
  graph_.updates[update].risks = static_cast<std::uint32_t>(graph_.risk_lists.size());
  graph_.risk_lists.push_back(std::move(list));
}

std::vector<PathPositions> Planner::search(std::uint32_t from, std::uint32_t to, bool only_preferred,
                                           Plan& plan) {
  while (!stop_.stop_requested()) {
    std::vector<bool> counts;
    for (const auto& verdict : known_.judged) counts.push_back(verdict && verdict->counts());
    auto found = graph::find_fewest_risks(graph_, {.from = from,
                                                   .to = to,
                                                   .counts = std::move(counts),
                                                   .preferred = known_.preferred,
                                                   .only_preferred = only_preferred,
                                                   .budget = &budget_});
    const bool has_judged = judge_risks_of(found.paths), has_added = obey_operator(found.paths);
    const bool knows_more = has_judged || has_added;
    if (knows_more && budget_.steps > 0) continue;
    plan.is_complete = plan.is_complete && found.is_complete && !knows_more;
    return std::move(found.paths);
  }
  return {};
}

void Planner::find(std::uint32_t from, std::uint32_t to, Plan& plan) {
  std::vector<PathPositions> paths = search(from, to, false, plan);
  // Somebody who stays in their stream takes more risks, or more hops.
  const bool stays =
      std::ranges::any_of(paths, [&](const auto& path) { return !leaves_stream(known_, path); });
  if (!stays && !paths.empty()) {
    auto staying = search(from, to, true, plan);
    if (!staying.empty()) paths.push_back(std::move(staying.front()));
  }
  for (const PathPositions& path : paths) plan.paths.push_back(planned_path(known_, cluster_, path, stop_));
  // A search that ended early knows of no order.
  if (!plan.is_complete) {
    std::ranges::stable_sort(plan.paths, {}, [](const PlannedPath& path) {
      return std::pair(path.open.count(), path.hops.size());
    });
  }
}

}  // namespace fairway::adm
