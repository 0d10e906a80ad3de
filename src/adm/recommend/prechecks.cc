// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "adm/internal/alerts.h"
#include "adm/recommend/recommend.h"

namespace fairway::adm {
namespace {

/// Alerts of one kind.
struct Group {
  std::string_view name;
  /// Text about the effect of a firing alert on an update.
  std::string_view means;
  /// Text if none of them fires; empty: nothing.
  std::string_view none;
  bool (*includes)(const Alert&);
};

bool is_one_of(const Alert& alert, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, alert.name) != names.end();
}

constexpr std::string_view slows = ", which may slow workload redistribution during rolling node updates. ";

/// The groups; an alert belongs to the first one that includes it. Groups without a firing alert are listed
/// in the order of `shown`.
const std::array groups{
    Group{"CriticalAlerts", ", suggesting significant cluster issues worth investigating. ",
          "No critical alerts firing.", [](const Alert& alert) { return alert.severity == "critical"; }},
    Group{"PodDisruptionBudgetAlerts", ", which might slow node drains. ",
          "No PodDisruptionBudget alerts firing.",
          [](const Alert& alert) { return alert.name == "PodDisruptionBudgetAtLimit"; }},
    Group{"PodImagePullAlerts", slows, "No Pod container image pull alerts firing.",
          [](const Alert& alert) { return alert.name == "KubeContainerWaiting"; }},
    Group{"NodeAlerts", slows, "No Node alerts firing.",
          [](const Alert& alert) {
            return is_one_of(alert, {"KubeletHealthState", "KubeNodeNotReady", "KubeNodeReadinessFlapping",
                                     "KubeNodeUnreachable"});
          }},
    Group{"UpdatePrecheckAlerts", ", suggesting issues worth investigating before updating the cluster. ",
          "No alerts with the openShiftUpdatePrecheck label true are firing.",
          [](const Alert& alert) { return alert.update_precheck; }},
    Group{"VirtAlerts", slows, "", [](const Alert& alert) {
            return is_one_of(alert, {"VirtHandlerDaemonSetRolloutFailing", "VMCannotBeEvicted"});
          }}};

std::string details_of(const Alert& alert) {
  std::string details = alert.summary.empty() ? alert.name : alert.summary;
  if (!details.ends_with('.')) details += '.';
  details += alert.description_text() + " " + alert.runbook_text();
  // These alerts do not say themselves which budget it is.
  if (is_one_of(alert, {"PodDisruptionBudgetLimit", "PodDisruptionBudgetAtLimit"}))
    details = "Namespace=" + alert.namespace_name + ", PodDisruptionBudget=" + alert.pod_disruption_budget +
              ". " + details;
  return details;
}

}  // namespace

Result<std::vector<Precheck>> check_alerts(std::string_view text) {
  const auto alerts = read_alerts(text);
  if (!alerts) return fail(alerts.error());
  std::vector<Precheck> checks;
  std::array<bool, groups.size()> firing{};
  for (const Alert& alert : *alerts) {
    if (alert.state == "pending") continue;
    const auto group = std::ranges::find_if(groups, [&](const Group& one) { return one.includes(alert); });
    if (group == groups.end()) continue;
    firing[static_cast<std::size_t>(group - groups.begin())] = true;
    // A critical alert about a disruption budget is counted for both.
    if (alert.name == "PodDisruptionBudgetLimit") firing[1] = true;
    const std::string number = std::to_string(checks.size());
    checks.push_back({.type = "recommended/" + std::string(group->name) + "/" + alert.name + "/" + number,
                      .status = "False",
                      .reason = "Alert:" + alert.state,
                      .message = alert.severity + " alert " + alert.name + " " + alert.state +
                                 std::string(group->means) + details_of(alert),
                      .issue = alert.name});
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!firing[i] && !groups[i].none.empty())
      checks.push_back({.type = "recommended/" + std::string(groups[i].name),
                        .status = "True",
                        .reason = "AsExpected",
                        .message = std::string(groups[i].none),
                        .issue = {}});
  return checks;
}

Precheck no_test_alerts(std::string_view file) {
  return {
      .type = "recommended/Alert",
      .status = "Unknown",
      .reason = "NoTestData",
      .message = "This --mock-clusterversion run did not have alert data available at " + std::string(file),
      .issue = "AlertNoTestData"};
}

}  // namespace fairway::adm
