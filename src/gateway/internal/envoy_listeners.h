// The ports of a Gateway as Envoy's listeners.
#pragma once

#include <string>

#include "gateway/internal/objects.h"
#include "gateway/internal/ports.h"
#include "gateway/internal/translation.h"

namespace fairway::gateway {

/// Adds the listener of a port, with its RouteConfigurations, key pairs and the clusters of its connections.
void add_listener(const Objects& objects, const std::string& name, const Port& port, Translation& out);

}  // namespace fairway::gateway
