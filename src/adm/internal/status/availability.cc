// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/availability.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "adm/internal/status/durations.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/condition.h"

namespace fairway::adm {
namespace {

struct NodeCondition {
  std::string_view type, wanted, reason, says;
  std::chrono::minutes harmless_for;
};

/// The conditions that pods need.
constexpr std::array needed{
    NodeCondition{"Ready", "True", "Not ready", "is not ready", std::chrono::minutes(5)},
    NodeCondition{"DiskPressure", "False", "Disk pressure", "has disk pressure", std::chrono::minutes(1)},
    NodeCondition{"NetworkUnavailable", "False", "Network unavailable", "has unavailable network",
                  std::chrono::minutes(1)}};

Availability::Fault plain(std::string_view reason) {
  return {.reason = std::string(reason), .summary = std::string(reason), .description = std::string(reason)};
}

bool is_done(const k8s::Dynamic& node) {
  const auto annotation = [&](std::string_view name) { return machine_config_annotation(node, name); };
  const std::string_view current = annotation("currentConfig");
  if (current.empty() || current != annotation("desiredConfig")) return false;
  const std::string_view image = annotation("currentImage"), desired_image = annotation("desiredImage");
  return image == desired_image && annotation("state") == "Done";
}

}  // namespace

std::string_view machine_config_annotation(const k8s::Dynamic& object, std::string_view name) {
  return object.annotation("machineconfiguration.openshift.io/" + std::string(name));
}

std::string Availability::joined(std::string Fault::* text) const {
  std::vector<std::string> texts;
  for (const Fault& fault : faults) texts.push_back(fault.*text);
  return join(texts, " | ");
}

std::optional<WallTime> Availability::since() const {
  std::optional<WallTime> earliest;
  for (const Fault& fault : faults)
    if (fault.since && (!earliest || *fault.since < *earliest)) earliest = fault.since;
  return earliest;
}

bool Availability::is_serious(WallTime now) const {
  return std::ranges::any_of(faults, [&](const Fault& fault) {
    return fault.harmless_for && (!fault.since || elapsed(*fault.since, now) >= *fault.harmless_for);
  });
}

Availability assess_availability(const k8s::Dynamic& node) {
  Availability result;
  for (const auto& condition : node.items<k8s::Condition>("status.conditions")) {
    const auto need = std::ranges::find(needed, condition.type(), &NodeCondition::type);
    if (need == needed.end() || condition.text("status") == need->wanted) continue;
    result.faults.push_back({.reason = std::string(need->reason),
                             .summary = "Node " + std::string(node.name()) + " " + std::string(need->says),
                             .description = "Node has a " + std::string(need->type) +
                                            "!=" + std::string(need->wanted) + " condition with Reason " +
                                            quote(need->reason) + " and message " +
                                            quote(condition.message()),
                             .since = condition.last_transition(),
                             .harmless_for = need->harmless_for});
  }
  if (node.flag("spec.unschedulable")) result.faults.push_back(plain("Node is marked unschedulable"));
  if (result.faults.empty()) {
    const std::string_view state = machine_config_annotation(node, "state");
    // One that failed may be given another configuration at once.
    if (is_done(node) || state == "Degraded" || state == "Unreconcilable") return result;
    result.faults.push_back(plain("Machine Config Daemon is processing the node"));
  }
  result.available = false;
  return result;
}

}  // namespace fairway::adm
