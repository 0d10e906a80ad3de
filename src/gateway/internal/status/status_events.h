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

/// What is to be told of a Gateway or a ListenerSet whose status was `before` and is `now`: that it, or one
/// of its listeners, has become programmed, or is not for a reason that stands until somebody does something.
/// That Envoy has not answered yet is not told.
std::vector<StatusEvent> programmed_events(const k8s::Dynamic& before, const k8s::Dynamic& now);

}  // namespace fairway::gateway
