// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/nodes.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

#include "adm/internal/status/availability.h"

namespace fairway::adm {
namespace {

constexpr std::string_view about_nodes =
    "https://docs.openshift.com/container-platform/latest/post_installation_configuration/"
    "machine-configuration-tasks.html#understanding-the-machine-config-operator";

/// Returns the version of the release that a MachineConfig was made for; empty if it does not say.
std::string_view version_of(const StatusInput& input, std::string_view config) {
  for (const k8s::Dynamic& one : input.configs)
    if (one.name() == config) return machine_config_annotation(one, "release-image-version");
  return {};
}

bool is_draining(const k8s::Dynamic& node) {
  const std::string_view desired = machine_config_annotation(node, "desiredDrain"),
                         applied = machine_config_annotation(node, "lastAppliedDrain");
  if (desired.empty() || applied.empty()) return false;
  if (desired != applied && desired.substr(0, desired.find('-')) == "drain") return true;
  // It is to be updated, and its daemon has not begun to drain it yet.
  return machine_config_annotation(node, "state") == "Done";
}

NodePhase phase_of(const k8s::Dynamic& pool, const k8s::Dynamic& node, const NodeState& state) {
  if (state.updating) {
    if (is_draining(node)) return NodePhase::draining;
    const std::string_view daemon = machine_config_annotation(node, "state");
    return daemon == "Rebooting" ? NodePhase::rebooting
           : daemon == "Done"    ? NodePhase::updated
                                 : NodePhase::updating;
  }
  if (state.updated) return NodePhase::updated;
  return pool.flag("spec.paused") ? NodePhase::paused : NodePhase::pending;
}

void assess_phase(NodeState& state) {
  switch (state.phase) {
    case NodePhase::draining:
      state.assessment = NodeAssessment::progressing;
      state.estimate = "+10m";
      break;
    case NodePhase::updating:
    case NodePhase::rebooting:
      state.assessment = NodeAssessment::progressing;
      state.estimate = "+5m";
      break;
    case NodePhase::paused:
      state.assessment = NodeAssessment::excluded;
      state.estimate = "-";
      break;
    case NodePhase::pending:
      state.assessment = NodeAssessment::outdated;
      state.estimate = "?";
      break;
    case NodePhase::updated:
      state.assessment = NodeAssessment::completed;
      state.estimate = "-";
      break;
  }
}

/// Returns whether a node has the image of its pool's configuration: only pools of layered images have one.
bool has_pool_image(const k8s::Dynamic& pool, const k8s::Dynamic& node, Availability& availability) {
  constexpr std::string_view layered = "machineconfiguration.openshift.io/newestImageEquivalentConfig";
  const std::string_view desired = machine_config_annotation(node, "desiredImage");
  const std::string_view wanted = pool.annotation(layered);
  if (wanted.empty()) return desired.empty();
  if (desired == wanted) return true;
  const std::string text =
      "Node has an unexpected annotation " + std::string(layered) + "=" + std::string(wanted);
  availability.faults.push_back(
      {.reason = text, .summary = text, .description = text, .harmless_for = std::chrono::minutes(0)});
  return false;
}

/// Returns a message without the node's name, which is in its line already.
std::string without_name(std::string message, std::string_view name) {
  if (name.size() < 8) return message;
  constexpr std::string_view instead = "<node>";
  for (std::size_t at = message.find(name); at != message.npos; at = message.find(name, at + instead.size()))
    message.replace(at, name.size(), instead);
  return message;
}

NodeState assess(const StatusInput& input, const k8s::Dynamic& pool, const k8s::Dynamic& node, bool migrating,
                 std::vector<Insight>& insights) {
  const std::string_view current = machine_config_annotation(node, "currentConfig"),
                         desired = machine_config_annotation(node, "desiredConfig");
  const auto history = input.cluster.history();
  const std::string_view target = history.empty() ? std::string_view{} : history.front().version();
  const auto is_target = [&](std::string_view version) { return !version.empty() && version == target; };
  const bool settled = current == desired, follows_pool = desired == pool.text("spec.configuration.name");
  NodeState state{.name = std::string(node.name()), .version = std::string(version_of(input, current))};
  state.updated = is_target(state.version) && (!migrating || desired.empty() || (settled && follows_pool));
  state.updating = !state.updated && !state.version.empty() && is_target(version_of(input, desired)) &&
                   !settled && follows_pool;
  state.phase = phase_of(pool, node, state);
  assess_phase(state);

  Availability availability = assess_availability(node);
  state.unavailable = !availability.available && has_pool_image(pool, node, availability);
  const std::string_view daemon = machine_config_annotation(node, "state");
  state.degraded = !desired.empty() && (daemon == "Degraded" || daemon == "Unreconcilable");
  std::string summary, description;
  if (state.unavailable && !state.updating) {
    state.assessment = NodeAssessment::unavailable;
    state.message = availability.joined(&Availability::Fault::reason);
    summary = availability.joined(&Availability::Fault::summary);
    description = availability.joined(&Availability::Fault::description);
    state.estimate = state.updated ? "-" : "?";
  }
  if (state.degraded) {
    state.assessment = NodeAssessment::degraded;
    state.message = description = machine_config_annotation(node, "reason");
    state.estimate = state.updated ? "-" : "?";
  }
  const auto add = [&](std::optional<WallTime> since, Level level, std::string_view impact,
                       std::string text) {
    insights.push_back({.since = since,
                        .level = level,
                        .impact = std::string(impact),
                        .summary = std::move(text),
                        .description = description,
                        .reference = std::string(about_nodes),
                        .resources = {{"nodes", state.name}}});
  };
  if (!state.updating && availability.is_serious(input.machine_now))
    add(availability.since(), Level::warning, "Update Speed", summary);
  if (state.degraded)
    add(std::nullopt, Level::error, "Update Stalled", "Node " + state.name + " is degraded");
  state.message = without_name(state.message, state.name);
  return state;
}

}  // namespace

std::string_view to_string(NodeAssessment assessment) {
  switch (assessment) {
    case NodeAssessment::degraded:
      return "Degraded";
    case NodeAssessment::unavailable:
      return "Unavailable";
    case NodeAssessment::progressing:
      return "Progressing";
    case NodeAssessment::excluded:
      return "Excluded";
    case NodeAssessment::outdated:
      return "Outdated";
    case NodeAssessment::completed:
      return "Completed";
  }
  return "";
}

std::string_view to_string(NodePhase phase) {
  switch (phase) {
    case NodePhase::draining:
      return "Draining";
    case NodePhase::updating:
      return "Updating";
    case NodePhase::rebooting:
      return "Rebooting";
    case NodePhase::paused:
      return "Paused";
    case NodePhase::pending:
      return "Pending";
    case NodePhase::updated:
      return "Updated";
  }
  return "";
}

std::vector<NodeState> assess_nodes(const StatusInput& input, const k8s::Dynamic& pool,
                                    const std::vector<const k8s::Dynamic*>& nodes, bool migrating,
                                    std::vector<Insight>& insights) {
  std::vector<NodeState> states;
  for (const k8s::Dynamic* node : nodes) states.push_back(assess(input, pool, *node, migrating, insights));
  std::ranges::sort(states, [](const NodeState& a, const NodeState& b) {
    return std::tie(a.assessment, a.phase, a.name) < std::tie(b.assessment, b.phase, b.name);
  });
  return states;
}

}  // namespace fairway::adm
