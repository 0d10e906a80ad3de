// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/control_plane.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "adm/internal/columns.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/status/estimate.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using openshift::ClusterOperator;
using openshift::ClusterVersion;
using openshift::UpdateHistory;
using std::chrono::minutes;
using std::chrono::nanoseconds;

constexpr std::string_view cluster_versions = "clusterversions.config.openshift.io";
constexpr std::string_view runbooks =
    "https://github.com/openshift/runbooks/blob/master/alerts/cluster-monitoring-operator/";
constexpr std::string_view machine_config = "machine-config";
/// Number of characters of a reason that are shown.
constexpr std::size_t reason_width = 20;

std::string runbook(std::string_view alert) {
  return std::string(runbooks) + std::string(alert) + ".md";
}

/// Returns whether an operator belongs to the release: its manifest's annotations say in which clusters it
/// is.
bool is_of_release(const ClusterOperator& cluster_operator) {
  return std::ranges::any_of(cluster_operator.annotations(), [](const k8s::StringMap::Entry& entry) {
    return entry.first.starts_with("exclude.release.openshift.io/") ||
           entry.first.starts_with("include.release.openshift.io/");
  });
}

bool is_updated(const StatusInput& input, const ClusterOperator& cluster_operator) {
  if (cluster_operator.name() == machine_config) {
    const std::string_view image = cluster_operator.version("operator-image");
    if (!image.empty() && !input.machine_config_operator_image.empty() &&
        image != input.machine_config_operator_image)
      return false;
  }
  const std::string_view target = input.cluster.desired().version();
  return !target.empty() && cluster_operator.version("operator") == target;
}

/// Adds an insight about a condition of an operator that has been bad for more than five minutes.
void add_insight(const ClusterOperator& cluster_operator, const std::optional<k8s::Condition>& condition,
                 bool bad, std::string_view state, std::string_view alert, minutes error, WallTime now,
                 std::vector<Insight>& insights) {
  if (!condition || !bad) return;
  const WallTime since = condition->last_transition().value_or(WallTime{});
  const nanoseconds lasted = elapsed(since, now);
  if (lasted <= minutes(5)) return;
  const std::string name(cluster_operator.name()), message(condition->message());
  insights.push_back({.since = since,
                      .level = lasted > error ? Level::error : Level::warning,
                      .impact = "API Availability",
                      .summary = "Cluster Operator " + name + " is " + std::string(state) + " (" +
                                 std::string(condition->reason()) + ")",
                      .description = message.empty() ? "<no message>" : message,
                      .reference = runbook(alert),
                      .resources = {{"clusteroperators.config.openshift.io", name}}});
}

/// The counts of the operators.
struct Operators {
  int total = 0, unavailable = 0, degraded = 0, updated = 0, waiting = 0;
  std::vector<const ClusterOperator*> updating;
  WallTime last_progress{};
  std::optional<WallTime> machine_config_began;

  std::string health() const {
    std::string text = std::to_string(total - unavailable - degraded) + " Healthy";
    if (unavailable > 0) text += ", " + std::to_string(unavailable) + " Unavailable";
    if (degraded > 0) text += ", " + std::to_string(degraded) + " Available but degraded";
    return text;
  }
  std::string updating_names() const {
    std::vector<std::string> names;
    for (const ClusterOperator* one : updating) names.emplace_back(one->name());
    return join(names, ", ");
  }
};

Operators count_operators(const StatusInput& input, std::vector<Insight>& insights) {
  Operators counts;
  for (const ClusterOperator& one : input.operators) {
    if (!is_of_release(one)) continue;
    ++counts.total;
    const bool updated = is_updated(input, one);
    if (updated) ++counts.updated;
    const auto available = one.condition("Available"), degraded = one.condition("Degraded"),
               progressing = one.condition("Progressing");
    if (progressing) {
      const WallTime since = progressing->last_transition().value_or(WallTime{});
      counts.last_progress = std::max(counts.last_progress, since);
      if (!updated && progressing->is_true()) {
        counts.updating.push_back(&one);
        if (one.name() == machine_config) counts.machine_config_began = since;
      }
      if (!updated && progressing->is_false()) ++counts.waiting;
    }
    if (!available || !available->is_true()) {
      ++counts.unavailable;
    } else if (degraded && degraded->is_true()) {
      ++counts.degraded;
    }
    add_insight(one, available, available && available->is_false(), "unavailable", "ClusterOperatorDown",
                minutes(20), input.now, insights);
    add_insight(one, degraded, degraded && degraded->is_true(), "degraded", "ClusterOperatorDegraded",
                minutes(40), input.now, insights);
  }
  // Nodes that reboot make operators with daemon sets progress: when only the machine config operator is
  // left, its beginning was the last progress.
  if (counts.machine_config_began && counts.total - counts.updated == 1)
    counts.last_progress = *counts.machine_config_began;
  return counts;
}

void add_failing(const StatusInput& input, const Caller& caller, std::vector<Insight>& insights) {
  const std::string name(input.cluster.name());
  const auto failing = input.cluster.condition("Failing");
  if (failing && failing->is_false()) return;
  Insight insight{.since = input.now,
                  .impact = "Update Stalled",
                  .reference = runbook("ClusterOperatorDegraded"),
                  .resources = {{std::string(cluster_versions), name}}};
  if (!failing) {
    insight.summary = "Cluster Version " + name + " has no Failing condition";
    insight.description =
        "Current status of Cluster Version reconciliation is unclear.  See '" + caller.client +
        " -n openshift-cluster-version logs -l k8s-app=cluster-version-operator --tail -1' to debug.";
  } else {
    insight.since = failing->last_transition();
    insight.summary = "Cluster Version " + name +
                      (failing->is_true() ? " is failing to proceed with the update ("
                                          : " may be failing to proceed with the update (") +
                      std::string(failing->reason()) + ")";
    insight.description = failing->message();
  }
  insights.push_back(std::move(insight));
}

void add_incomplete_update(const ClusterVersion& cluster, const std::vector<UpdateHistory>& history,
                           std::vector<Insight>& insights) {
  if (history.size() < 2 || !history[1].is_partial()) return;
  std::string last = "unknown";
  for (std::size_t i = 2; i < history.size(); ++i)
    if (history[i].is_completed()) {
      last = history[i].version();
      break;
    }
  const std::string before(history[1].version()), now(history[0].version());
  insights.push_back(
      {.since = history[0].started(),
       .impact = "None",
       .summary = "Previous update to " + before + " never completed, last complete update was " + last,
       .description = "Current update to " + now + " was initiated while the previous update to version " +
                      before + " was still in progress",
       .reference = "https://docs.openshift.com/container-platform/latest/updating/troubleshooting_updates/"
                    "gathering-data-cluster-update.html#gathering-clusterversion-history-cli_troubleshooting_"
                    "updates",
       .resources = {{std::string(cluster_versions), std::string(cluster.name())}}});
}

std::string target_text(const ClusterVersion& cluster, const std::vector<UpdateHistory>& history) {
  if (history.empty()) return "unknown (from unknown)";
  const std::string target(history[0].version());
  if (history.size() == 1) return target + " (installation)";
  if (history[1].is_partial()) return target + " (from incomplete " + std::string(history[1].version()) + ")";
  if (is_multi_arch_migration(cluster)) return target + " to Multi-Architecture";
  return target + " (from " + std::string(history[1].version()) + ")";
}

std::string remaining_text(nanoseconds remaining, nanoseconds whole, bool migration) {
  if (migration) return "N/A for Multi-Architecture Migration";
  if (remaining < -minutes(10)) return "N/A; estimate duration was " + short_duration(whole);
  return remaining < minutes(10) ? "<10m" : short_duration(remaining);
}

/// Returns the time since an operator began, for recorded data. If it began at their last moment, the time is
/// below one second, and today's client takes the digits before the point for seconds. Recorded answers have
/// it so.
nanoseconds recorded_since(nanoseconds since) {
  const bool moment = since > nanoseconds::zero() && since < std::chrono::milliseconds(1);
  return moment ? nanoseconds(std::chrono::seconds(since / std::chrono::microseconds(1))) : since;
}

/// Returns the table of the operators that are being updated.
std::string updating_table(const Operators& operators, const StatusInput& input) {
  std::string rows = "\nNAME\tSINCE\tREASON\tMESSAGE\n";
  for (const ClusterOperator* one : operators.updating) {
    const k8s::Condition progressing = *one->condition("Progressing");
    std::string reason = progressing.reason().empty() ? "-" : std::string(progressing.reason());
    if (reason.size() > reason_width) reason = reason.substr(0, reason_width - 3) + "...";
    const nanoseconds since = elapsed(progressing.last_transition().value_or(input.now), input.now);
    std::string cells = std::string(one->name()) + "\t" +
                        short_duration(input.recorded ? recorded_since(since) : since) + "\t" + reason + "\t";
    for (const std::string_view line : split(progressing.message(), '\n')) {
      rows += cells + std::string(line) + "\n";
      cells = "\t\t\t";
    }
  }
  return "\nUpdating Cluster Operators" + lay_out_columns(rows);
}

/// Shows the operator's own messages about an update, for a cluster without ClusterOperators.
void show_progress(const ClusterVersion& cluster, const std::string& target, nanoseconds duration,
                   ControlPlane& plane) {
  const auto failing = cluster.condition("Failing"), progressing = cluster.condition("Progressing");
  const std::string assessment = failing && failing->is_true() ? "Stalled" : "Progressing";
  const std::string message = progressing ? std::string(progressing->message()) : "";
  plane.data["assessment"] = assessment;
  plane.data["message"] = message;
  plane.text += "Assessment:      " + assessment + "\nTarget Version:  " + target +
                "\nState:           " + message + "\nDuration:        " + short_duration(duration) + "\n";
}

}  // namespace

bool is_multi_arch_migration(const ClusterVersion& cluster) {
  const auto history = cluster.history();
  return history.size() > 1 && history[0].version() == history[1].version() &&
         history[0].image() != history[1].image();
}

ControlPlane assess_control_plane(const StatusFlags& flags, const StatusInput& input) {
  ControlPlane plane;
  add_failing(input, flags.caller, plane.insights);
  Operators operators = count_operators(input, plane.insights);
  const std::vector<UpdateHistory> history = input.cluster.history();
  // A release without ClusterOperators is done when its history says so.
  const bool counted = operators.total > 0;
  const bool completed =
      counted ? operators.updated == operators.total : !history.empty() && history[0].is_completed();
  nanoseconds updating_for{}, to_last_progress{};
  WallTime ended = input.now;
  if (!history.empty()) {
    const WallTime started = history[0].started().value_or(input.now);
    if (operators.last_progress <= started) operators.last_progress = input.now;
    to_last_progress = elapsed(started, operators.last_progress);
    if (history[0].is_completed()) ended = history[0].completed().value_or(input.now);
    updating_for = elapsed(started, ended);
  }
  // Seconds matter in the first minutes only.
  const nanoseconds duration =
      round_to(updating_for, updating_for > minutes(10) ? nanoseconds(minutes(1)) : std::chrono::seconds(1));
  if (!completed) add_incomplete_update(input.cluster, history, plane.insights);
  plane.text = "= Control Plane =\n";
  const std::string target = history.empty() ? "unknown" : std::string(history[0].version());
  plane.data = {{"target", target},
                {"operators", json::Object{{"total", operators.total},
                                           {"updated", operators.updated},
                                           {"updating", static_cast<int>(operators.updating.size())},
                                           {"waiting", operators.waiting},
                                           {"unavailable", operators.unavailable},
                                           {"degraded", operators.degraded}}}};
  if (completed) {
    plane.data["assessment"] = "Completed";
    plane.text += "Update to " + target + " successfully completed at " + format_time(ended) +
                  " (duration: " + short_duration(duration) + ")\n";
    return plane;
  }
  if (!counted) {
    show_progress(input.cluster, target_text(input.cluster, history), duration, plane);
    return plane;
  }
  const double share = static_cast<double>(operators.updated) / operators.total;
  const nanoseconds remaining =
      estimate_remaining(baseline_duration(history), to_last_progress, updating_for, share);
  const std::string assessment = remaining < -minutes(10)          ? "Stalled"
                                 : remaining < nanoseconds::zero() ? "Progressing - Slow"
                                                                   : "Progressing";
  plane.data["assessment"] = assessment;
  plane.data["remainingSeconds"] = std::chrono::duration_cast<std::chrono::seconds>(remaining).count();
  plane.text +=
      "Assessment:      " + assessment + "\nTarget Version:  " + target_text(input.cluster, history) + "\n";
  if (!operators.updating.empty()) plane.text += "Updating:        " + operators.updating_names() + "\n";
  plane.text += "Completion:      " + std::to_string(std::lrint(share * 100)) + "% (" +
                std::to_string(operators.updated) + " operators updated, " +
                std::to_string(operators.updating.size()) + " updating, " +
                std::to_string(operators.waiting) + " waiting)\nDuration:        " + short_duration(duration);
  if (remaining != nanoseconds::zero()) {
    const nanoseconds whole = (updating_for + remaining) / minutes(1) * minutes(1);
    plane.text +=
        " (Est. Time Remaining: " + remaining_text(remaining, whole, is_multi_arch_migration(input.cluster)) +
        ")";
  }
  plane.text += "\nOperator Health: " + operators.health() + "\n";
  if (flags.shows("operators") && !operators.updating.empty()) plane.text += updating_table(operators, input);
  return plane;
}

}  // namespace fairway::adm
