// The ports of a Gateway as Envoy's listeners.
#pragma once

#include <map>
#include <string>

#include "gateway/internal/objects/objects.h"
#include "gateway/internal/translation/ports.h"
#include "gateway/internal/translation/route_tables.h"
#include "gateway/internal/translation/translation.h"

namespace fairway::gateway {

/// Adds the listener of a port, with its RouteConfigurations, key pairs and the clusters of its connections.
/// `tables` are those of the last time, by their names.
void add_listener(const Objects& objects, const std::string& name, const Port& port,
                  std::map<std::string, RouteTable>& tables, Translation& out);

/// Has a listener say what a probe is answered with: only this listener, as it is now, has it.
void add_configuration(json::Object& listener);

}  // namespace fairway::gateway
