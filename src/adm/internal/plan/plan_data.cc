// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/plan_data.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "adm/internal/plan/estimate.h"
#include "adm/internal/plan/plan_commands.h"
#include "adm/internal/plan/plan_texts.h"
#include "adm/internal/plan/waits.h"
#include "base/cut_text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;

json::Array array_of(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Array names_data(const RiskNames& names) {
  json::Array list;
  for (const std::string& name : names.names) list.emplace_back(cut_text(name, max_name));
  return list;
}

/// Returns when a verdict holds: "always", "now", "asOfNow", or "notYet" for what no later hop can tell yet.
std::string_view judged_when(const JudgedRisk& judged, bool is_first) {
  if (judged.is_fixed) return "always";
  if (is_first) return "now";
  return judged.state == RiskState::unknown ? "notYet" : "asOfNow";
}

json::Array risks_data(const PlannedHop& hop, bool is_first) {
  json::Array risks;
  for (const PlannedRisk& one : hop.risks) {
    json::Object risk{{"name", cut_text(one.risk->name, max_name)},
                      {"url", cut_text(one.risk->url, max_line)},
                      {"message", cut_text(one.risk->message, max_message)},
                      {"state", to_string(one.judged.state)},
                      {"judged", judged_when(one.judged, is_first)}};
    if (!one.judged.reason.empty()) risk["reason"] = cut_text(one.judged.reason, max_line);
    risks.emplace_back(std::move(risk));
  }
  return risks;
}

json::Array waits_data(const std::vector<HopWait>& waits) {
  json::Array list;
  for (const HopWait& one : waits) {
    json::Object wait{{"kind", one.kind},
                      {"what", one.what.what},
                      {"holdsUp", one.what.holds_up},
                      {"message", one.what.message},
                      {"help", one.what.help},
                      {"commands", array_of(one.what.commands)}};
    if (one.what.since) wait["since"] = format_time(*one.what.since);
    list.emplace_back(std::move(wait));
  }
  return list;
}

/// Returns the word for the condition Recommended that a hop probably has.
std::string_view recommended(const PlannedHop& hop) {
  const bool applies = !hop.applying.empty() || hop.is_objected_to;
  return applies ? "False" : hop.open.empty() ? "True" : "Unknown";
}

json::Object path_data(const PlannedPath& path, const ClusterVersion& cluster, const ClusterFacts& facts,
                       const Caller& caller, const std::stop_token& stop) {
  const auto waits = waits_of(path, cluster, facts, caller);
  json::Array hops;
  const std::size_t count = std::min(path.hops.size(), most_hops);
  for (std::size_t i = 0; i < count && !stop.stop_requested(); ++i) {
    const PlannedHop& hop = path.hops[i];
    json::Object one{{"from", cut_text(hop.from, max_name)},
                     {"to", cut_text(hop.to, max_name)},
                     {"image", cut_text(hop.image, max_line)},
                     {"channel", hop.channel},
                     {"changesMinor", hop.changes_minor},
                     {"recommended", recommended(hop)},
                     {"risks", risks_data(hop, i == 0)},
                     {"moreRisks", hop.more_risks},
                     {"waitsFor", waits_data(waits[i])},
                     {"commands", array_of(commands_of(hop, cluster, caller))},
                     {"notes", array_of(notes_of(hop, i == 0, cluster, caller))}};
    const auto estimate = estimate_update(cluster, hop.changes_minor);
    if (estimate) {
      one["estimate"] = json::Object{{"seconds", estimate->usual.count()},
                                     {"least", estimate->least.count()},
                                     {"most", estimate->most.count()},
                                     {"updates", estimate->updates},
                                     {"ofSameKind", estimate->is_of_same_kind}};
    }
    hops.emplace_back(std::move(one));
  }
  json::Object data{{"hops", std::move(hops)},
                    {"moreHops", path.hops.size() - count},
                    {"risks", names_data(path.open)},
                    {"moreRisks", path.open.more},
                    {"leavesStream", path.leaves_stream}};
  if (const auto all = estimate_path(path, cluster)) data["estimatedSeconds"] = all->count();
  return data;
}

}  // namespace

json::Object plan_data(const Plan& plan, const ClusterVersion& cluster, const ClusterFacts& facts,
                       const PlanOrigin& origin, const Caller& caller, const std::stop_token& stop) {
  json::Array paths;
  for (const PlannedPath& path : plan.paths)
    paths.emplace_back(path_data(path, cluster, facts, caller, stop));
  json::Object data{{"from", plan.from},
                    {"to", plan.to},
                    {"channel", cluster.channel()},
                    {"arch", origin.arch},
                    {"graphs", origin.graphs},
                    {"judge", origin.judge},
                    {"paths", std::move(paths)},
                    {"complete", plan.is_complete}};
  if (origin.operator_service) data["operatorService"] = *origin.operator_service;
  if (origin.now > WallTime{}) data["time"] = format_time(origin.now);
  if (!plan.reason.empty()) data["reason"] = plan.reason;
  return data;
}

}  // namespace fairway::adm
