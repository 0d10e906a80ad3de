// SPDX-License-Identifier: Apache-2.0

// Events about what statuses have come to say of Envoy.
#pragma once

#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::gateway {

struct StatusEvent {
  bool is_warning = false;
  std::string reason, message;
  bool operator==(const StatusEvent&) const = default;
};

/// Returns the events for a change of the status of a Gateway or a ListenerSet from `before` to `now`: it, or
/// one of its listeners, has become programmed, or is not for a reason that needs somebody to act. There is
/// no event while Envoy's answer is pending.
std::vector<StatusEvent> programmed_events(const k8s::Dynamic& before, const k8s::Dynamic& now);

}  // namespace fairway::gateway
