// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/status_events.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::View;

std::optional<k8s::Condition> programmed(const View& owner, std::string_view path) {
  return k8s::find_condition(owner, "Programmed", path);
}

/// Adds the event for a change of a Programmed condition, if there is one. `what` names the owner, and is put
/// before the message.
void compare(const std::optional<k8s::Condition>& before, const std::optional<k8s::Condition>& now,
             const std::string& what, std::vector<StatusEvent>& out) {
  if (!now) return;
  if (now->is_true()) {
    if (!before || !before->is_true())
      out.push_back({.reason = "Programmed", .message = what + std::string(now->message())});
    return;
  }
  // An unknown or pending status passes by itself.
  if (now->status() != k8s::ConditionStatus::is_false || now->reason() == "Pending") return;
  const bool is_known = before && before->status() == now->status() && before->reason() == now->reason() &&
                        before->message() == now->message();
  if (!is_known) {
    out.push_back({.is_warning = true,
                   .reason = "NotProgrammed",
                   .message = what + std::string(now->reason()) + ": " + std::string(now->message())});
  }
}

}  // namespace

std::vector<StatusEvent> programmed_events(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  std::vector<StatusEvent> events;
  compare(programmed(before, "status.conditions"), programmed(now, "status.conditions"), "", events);
  const auto listeners = before.items("status.listeners");
  for (const View& listener : now.items("status.listeners")) {
    const std::string_view name = listener.text("name");
    std::optional<k8s::Condition> old;
    for (const View& one : listeners) {
      if (one.text("name") == name) old = programmed(one, "conditions");
    }
    compare(old, programmed(listener, "conditions"), "listener " + printable(name) + ": ", events);
  }
  return events;
}

}  // namespace fairway::gateway
