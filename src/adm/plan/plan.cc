// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "adm/internal/plan/not_recommended.h"
#include "adm/internal/release_version.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using graph::MergedGraph;
using openshift::ClusterVersion;
using Positions = std::vector<std::uint32_t>;

/// Finds the paths of a plan: searches, judges the risks of what was found, and searches again until the best
/// paths have no risk that was not judged. A risk that was not judged counts as none, so that the last search
/// misses no better path. All searches share a budget; when it is spent, what was found last is the answer.
class Planner {
 public:
  Planner(MergedGraph& graph, const ClusterVersion& cluster, const JudgeRisks& judge,
          graph::SearchBudget& budget)
      : graph_(graph),
        cluster_(cluster),
        judge_(judge),
        budget_(budget),
        accepts_risks_(adm::accepts_risks(cluster)),
        not_recommended_(adm::not_recommended(cluster)),
        judged_(graph.risks.size()),
        is_of_operator_(graph.risks.size()) {
    const std::string_view stream = stream_of(cluster.channel());
    for (const std::string& channel : graph.channels)
      preferred_.push_back(cluster.channel().empty() || stream_of(channel) == stream);
  }

  void find(std::uint32_t from, std::uint32_t to, Plan& plan);

 private:
  std::vector<Positions> search(std::uint32_t from, std::uint32_t to, bool only_preferred, Plan& plan);
  bool judge_risks_of(const std::vector<Positions>& paths);
  void judge(std::uint32_t risk, JudgedRisk verdict);
  bool obey_operator(const std::vector<Positions>& paths);
  bool is_recommended(std::uint32_t update) const;
  void add_risk(std::uint32_t update, const PlannedRisk& risk);
  bool leaves_stream(const Positions& path) const;
  std::uint32_t choose_channel(const Positions& path, std::size_t hop) const;
  PlannedPath to_path(const Positions& path) const;

  MergedGraph& graph_;
  const ClusterVersion& cluster_;
  const JudgeRisks& judge_;
  graph::SearchBudget& budget_;
  const bool accepts_risks_;
  const std::map<std::string, PlannedRisk, std::less<>> not_recommended_;
  std::vector<std::optional<JudgedRisk>> judged_;
  std::vector<bool> is_of_operator_;
  std::vector<bool> preferred_;
};

/// Judges the risks of these paths that have not been judged. Returns whether there were any.
bool Planner::judge_risks_of(const std::vector<Positions>& paths) {
  std::set<std::uint32_t> open;
  for (const Positions& path : paths)
    for (const std::uint32_t update : path)
      for (const std::uint32_t risk : graph_.risks_of(graph_.updates[update]))
        if (!judged_[risk]) open.insert(risk);
  if (open.empty()) return false;
  std::vector<const graph::Risk*> asked;
  for (const std::uint32_t risk : open) asked.push_back(&graph_.risks[risk]);
  std::vector<JudgedRisk> verdicts = judge_(asked);
  std::size_t next = 0;
  for (const std::uint32_t risk : open) judge(risk, std::move(verdicts.at(next++)));
  return true;
}

/// Takes the verdict on a risk, or the operator's own one where that is stricter.
void Planner::judge(std::uint32_t risk, JudgedRisk verdict) {
  const graph::Risk& judged = graph_.risks[risk];
  if (auto own = find_operator_verdict(judged, cluster_))
    verdict = stricter_of(std::move(verdict), *std::move(own));
  // What nobody can judge is not accepted: operators accept what applies, and nothing else.
  if (verdict.state == RiskState::applies && accepts_risks_ && is_accepted(judged, cluster_))
    verdict = {.state = RiskState::accepted};
  judged_[risk] = std::move(verdict);
}

bool Planner::is_recommended(std::uint32_t update) const {
  return std::ranges::none_of(graph_.risks_of(graph_.updates[update]), [&](std::uint32_t risk) {
    return judged_[risk].value_or(JudgedRisk{}).counts();
  });
}

/// Adds what the operator says against updates out of the cluster's release, where none of their risks does.
/// Returns whether there were any.
bool Planner::obey_operator(const std::vector<Positions>& paths) {
  bool has_added = false;
  for (const Positions& path : paths) {
    const std::uint32_t update = path.front();
    const auto said = not_recommended_.find(graph_.releases[graph_.updates[update].to].version);
    if (said == not_recommended_.end() || !is_recommended(update)) continue;
    add_risk(update, said->second);
    has_added = true;
  }
  return has_added;
}

void Planner::add_risk(std::uint32_t update, const PlannedRisk& risk) {
  const auto position = static_cast<std::uint32_t>(graph_.risks.size());
  const auto same_name = std::ranges::find(graph_.risks, risk.risk.name, &graph::Risk::name);
  graph_.name_of.push_back(same_name == graph_.risks.end()
                               ? static_cast<std::uint32_t>(graph_.names++)
                               : graph_.name_of[static_cast<std::size_t>(same_name - graph_.risks.begin())]);
  graph_.risks.push_back(risk.risk);
  judged_.emplace_back(risk.judged);
  is_of_operator_.push_back(true);
  Positions list = graph_.risks_of(graph_.updates[update]);
  list.push_back(position);
  graph_.updates[update].risks = static_cast<std::uint32_t>(graph_.risk_lists.size());
  graph_.risk_lists.push_back(std::move(list));
}

std::vector<Positions> Planner::search(std::uint32_t from, std::uint32_t to, bool only_preferred,
                                       Plan& plan) {
  for (;;) {
    std::vector<bool> counts;
    for (const auto& verdict : judged_) counts.push_back(verdict && verdict->counts());
    auto found = graph::find_fewest_risks(graph_, {.from = from,
                                                   .to = to,
                                                   .counts = std::move(counts),
                                                   .preferred = preferred_,
                                                   .only_preferred = only_preferred,
                                                   .budget = &budget_});
    const bool has_judged = judge_risks_of(found.paths), has_added = obey_operator(found.paths);
    const bool knows_more = has_judged || has_added;
    if (knows_more && budget_.steps > 0) continue;
    plan.is_complete = plan.is_complete && found.is_complete && !knows_more;
    return std::move(found.paths);
  }
}

bool Planner::leaves_stream(const Positions& path) const {
  return std::ranges::any_of(path, [&](std::uint32_t update) {
    return std::ranges::none_of(graph_.updates[update].channels,
                                [&](std::uint32_t channel) { return preferred_[channel]; });
  });
}

/// Returns the channel to change to before a hop: one of the cluster's stream if it has the hop, of these the
/// one that has the most of the hops that follow, then the last in byte order, as the client names channels.
std::uint32_t Planner::choose_channel(const Positions& path, std::size_t hop) const {
  const auto has = [&](std::size_t at, std::uint32_t channel) {
    return std::ranges::binary_search(graph_.updates[path[at]].channels, channel);
  };
  const auto rank = [&](std::uint32_t channel) {
    std::size_t end = hop;
    while (end < path.size() && has(end, channel)) ++end;
    return std::tuple<bool, std::size_t, std::string_view>(preferred_[channel], end,
                                                           graph_.channels[channel]);
  };
  const auto& channels = graph_.updates[path[hop]].channels;
  return *std::ranges::max_element(channels, [&](auto a, auto b) { return rank(a) < rank(b); });
}

PlannedPath Planner::to_path(const Positions& path) const {
  PlannedPath planned{.leaves_stream = leaves_stream(path)};
  std::set<std::string> open;
  std::string channel(cluster_.channel());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto& update = graph_.updates[path[i]];
    const auto &from = graph_.releases[update.from], &to = graph_.releases[update.to];
    PlannedHop hop{.from = from.version, .to = to.version, .image = to.image};
    hop.changes_minor = from.number.minor_text() != to.number.minor_text();
    if (std::ranges::none_of(update.channels, [&](auto one) { return graph_.channels[one] == channel; })) {
      hop.changes_channel = true;
      channel = graph_.channels[choose_channel(path, i)];
      std::vector<std::string> listed = from.channels;
      if (i == 0) {
        const auto of_cluster = cluster_.desired().channels();
        listed.assign(of_cluster.begin(), of_cluster.end());
      }
      // Where no channel is known, the client lets any one through.
      hop.channel_is_listed = listed.empty() || std::ranges::find(listed, channel) != listed.end();
    }
    hop.channel = channel;
    for (const std::uint32_t risk : graph_.risks_of(update))
      hop.risks.push_back({.risk = graph_.risks[risk],
                           .judged = judged_[risk].value_or(JudgedRisk{}),
                           .is_of_operator = is_of_operator_[risk]});
    for (std::string& name : hop.open_risks()) open.insert(std::move(name));
    planned.hops.push_back(std::move(hop));
  }
  planned.open_risks.assign(open.begin(), open.end());
  return planned;
}

void Planner::find(std::uint32_t from, std::uint32_t to, Plan& plan) {
  std::vector<Positions> paths = search(from, to, false, plan);
  // Somebody who stays in their stream takes more risks, or more hops.
  const bool stays = std::ranges::any_of(paths, [&](const auto& path) { return !leaves_stream(path); });
  if (!stays && !paths.empty()) {
    auto staying = search(from, to, true, plan);
    if (!staying.empty()) paths.push_back(std::move(staying.front()));
  }
  for (const Positions& path : paths) plan.paths.push_back(to_path(path));
  // A search that ended early knows of no order.
  if (!plan.is_complete) {
    std::ranges::stable_sort(plan.paths, {}, [](const PlannedPath& path) {
      return std::pair(path.open_risks.size(), path.hops.size());
    });
  }
}

std::string why_none(const MergedGraph& graph, std::optional<std::uint32_t> from,
                     std::optional<std::uint32_t> to, const Plan& plan) {
  if (graph.releases.empty()) return "the channels that were asked have no releases";
  const std::string channels = graph.channels.size() == 1 ? "channel " + graph.channels.front()
                                                          : "the " + std::to_string(graph.channels.size()) +
                                                                " channels that were asked";
  if (!from) return "no release " + plan.from + " is in " + channels;
  if (!to) return "no release " + plan.to + " is in " + channels;
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
  if (!graph.is_complete) reason += "; updates with too many risks to keep were left out";
  return reason;
}

}  // namespace

std::vector<std::string> PlannedHop::open_risks() const {
  std::set<std::string> names;
  for (const PlannedRisk& one : risks)
    if (one.judged.counts()) names.insert(one.risk.name);
  return {names.begin(), names.end()};
}

std::string_view stream_of(std::string_view channel) {
  return channel.substr(0, channel.rfind('-'));
}

Result<bool> is_later(const ClusterVersion& cluster, std::string_view to) {
  const std::string from(cluster.desired().version());
  const auto here = Version::parse(from), there = read_version(to);
  if (!there) {
    return fail(ErrorCode::invalid, "--to must be a semantic version (e.g. 4.0.1): " + there.error().message);
  }
  if (!here) {
    return fail(ErrorCode::invalid, "the ClusterVersion has no semantic version in status.desired.version (" +
                                        printable(from, 80) + "), so that no plan can begin at it");
  }
  if (compare_precedence(*there, *here) >= 0) return compare_precedence(*there, *here) > 0;
  return fail(ErrorCode::invalid, std::string(to) + " is older than " + from +
                                      ", which the cluster has or is being updated to: a plan leads to "
                                      "later releases only");
}

Progress progress_to(const ClusterVersion& cluster, std::string_view to) {
  const auto here = Version::parse(cluster.desired().version()), there = Version::parse(to);
  if (!here || !there || compare_precedence(*here, *there) < 0) return Progress::on_the_way;
  const bool is_past = compare_precedence(*here, *there) > 0;
  for (const openshift::UpdateHistory& entry : cluster.history()) {
    const auto version = Version::parse(entry.version());
    if (version && compare_precedence(*version, *there) == 0 && entry.is_completed())
      return Progress::arrived;
    if (!is_past) break;  // the newest one counts: it may be on the way there again
  }
  return is_past ? Progress::passed : Progress::on_the_way;
}

Result<Plan> make_plan(MergedGraph graph, const ClusterVersion& cluster, std::string_view to,
                       const JudgeRisks& judge, graph::SearchBudget budget) {
  Plan plan{.from = std::string(cluster.desired().version()), .to = std::string(to)};
  const auto has_way = is_later(cluster, to);
  if (!has_way) return fail(has_way.error());
  if (!*has_way) return plan;
  plan.is_complete = graph.is_complete;
  const auto first = graph.find(plan.from), last = graph.find(plan.to);
  if (first && last) Planner(graph, cluster, judge, budget).find(*first, *last, plan);
  if (plan.paths.empty()) plan.reason = why_none(graph, first, last, plan);
  return plan;
}

}  // namespace fairway::adm
