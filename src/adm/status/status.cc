// SPDX-License-Identifier: Apache-2.0

#include "adm/status/status.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "adm/internal/alerts.h"
#include "adm/internal/status/control_plane.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/status/insight.h"
#include "adm/internal/status/pools.h"
#include "k8s/condition.h"

namespace fairway::adm {
namespace {

constexpr std::array<std::string_view, 5> sections{"none", "all", "nodes", "health", "operators"};

/// Returns whether an alert matters to an update even if it began before it.
bool affects_updates(const Alert& alert) {
  return alert.name == "PodDisruptionBudgetLimit" || alert.name == "PodDisruptionBudgetAtLimit";
}

Result<void> add_alerts(std::string_view text, WallTime started, std::vector<Insight>& insights) {
  const auto alerts = read_alerts(text);
  if (!alerts) return fail(alerts.error());
  for (const Alert& alert : *alerts) {
    const bool during = alert.active_at.value_or(WallTime{}) > started, known = affects_updates(alert);
    if (!during && !known) continue;
    if (alert.state == "pending" || (alert.severity != "warning" && alert.severity != "critical")) continue;
    const std::string_view what = !known   ? "Alert started firing during the update."
                                  : during ? "Alert known to affect updates started firing during the update."
                                           : "Alert known to affect updates has been firing since before the "
                                             "update started.";
    insights.push_back(
        {.since = alert.active_at,
         .level = alert.severity == "critical" ? Level::critical : Level::warning,
         .impact = "Unknown",
         .summary = "Alert is firing: " + (alert.summary.empty() ? alert.name : alert.summary),
         .description = std::string(what) + alert.description_text(),
         .reference = alert.runbook_text(),
         .resources = {{"alerts.config.openshift.io",
                        (alert.namespace_name.empty() ? "" : alert.namespace_name + "/") + alert.name}}});
  }
  return {};
}

json::Array pool_data(const std::vector<PoolState>& pools) {
  json::Array list;
  for (const PoolState& pool : pools) {
    json::Array nodes;
    for (const NodeState& node : pool.nodes)
      nodes.push_back(json::Object{{"name", node.name},
                                   {"assessment", to_string(node.assessment)},
                                   {"phase", to_string(node.phase)},
                                   {"version", node.version},
                                   {"message", node.message}});
    list.push_back(json::Object{{"name", pool.name},
                                {"assessment", pool.assessment},
                                {"updated", pool.updated},
                                {"nodes", std::move(nodes)}});
  }
  return list;
}

}  // namespace

WallTime latest_transition(const openshift::ClusterVersion& cluster,
                           const std::vector<openshift::ClusterOperator>& operators) {
  WallTime latest{};
  const auto add = [&](const k8s::View& object) {
    for (const auto& condition : object.items<k8s::Condition>("status.conditions"))
      latest = std::max(latest, condition.last_transition().value_or(WallTime{}));
  };
  add(cluster);
  for (const auto& one : operators) add(one);
  return latest;
}

CommandResult check(const StatusFlags& flags, const std::vector<std::string>& arguments) {
  CommandResult answer;
  if (!arguments.empty()) {
    answer.fail_usage("positional arguments given", flags.caller.upgrade + " status");
  } else if (std::ranges::find(sections, flags.details) == sections.end()) {
    answer.fail("invalid value for --details: " + flags.details +
                " (must be one of none, all, nodes, health, operators)");
  }
  return answer;
}

CommandResult status(const StatusFlags& flags, const StatusInput& input) {
  CommandResult answer;
  // A cluster that is no OpenShift need not have any.
  if (input.operators.empty() && input.recorded) {
    answer.fail(
        "no cluster operator information available - you must be connected to an OpenShift version 4 server");
    return answer;
  }
  const auto progressing = input.cluster.condition("Progressing");
  if (!progressing) {
    answer.fail("no current Progressing info, " + flags.caller.describe_hint() + ".");
    return answer;
  }
  std::vector<Insight> insights;
  const bool migrating = is_multi_arch_migration(input.cluster) && progressing->is_true();
  const auto pools = assess_pools(input, migrating, insights);
  if (!pools) {
    answer.fail(pools.error().message);
    return answer;
  }
  const bool workers_outdated = std::ranges::any_of(
      *pools, [](const PoolState& pool) { return !pool.is_control_plane() && pool.is_outdated(); });
  if (!progressing->is_true() && !workers_outdated) {
    answer.out = "The cluster is not updating.\n";
    answer.data = {{"updating", false}};
    return answer;
  }
  WallTime started = progressing->last_transition().value_or(input.now);
  if (const auto history = input.cluster.history(); !history.empty())
    started = history.front().started().value_or(started);
  if (!input.alerts.empty()) {
    if (const auto added = add_alerts(input.alerts, started, insights); !added)
      answer.out +=
          "Ignoring alerts in 'Update Health'. Error unmarshaling alerts: " + added.error().message + "\n";
  }
  const ControlPlane plane = assess_control_plane(flags, input);
  insights.insert(insights.end(), plane.insights.begin(), plane.insights.end());
  answer.out += plane.text;
  for (const PoolState& pool : *pools)
    if (pool.is_control_plane()) answer.out += node_table(pool, flags.shows("nodes"));
  if (std::ranges::any_of(
          *pools, [](const PoolState& pool) { return !pool.is_control_plane() && !pool.nodes.empty(); })) {
    answer.out += "\n= Worker Upgrade =\n" + pool_table(*pools);
    for (const PoolState& pool : *pools)
      if (!pool.is_control_plane()) answer.out += node_table(pool, flags.shows("nodes"));
  }
  const auto updating_for = round_to(elapsed(started, input.now), std::chrono::seconds(1));
  answer.data = {{"updating", true},
                 {"controlPlane", plane.data},
                 {"pools", pool_data(*pools)},
                 {"health", health_data(insights)}};
  answer.out += "\n" + show_health(std::move(insights), updating_for, input.now, flags.shows("health"));
  return answer;
}

}  // namespace fairway::adm
