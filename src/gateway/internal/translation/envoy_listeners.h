// SPDX-License-Identifier: Apache-2.0

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
/// `tables`: the RouteConfigurations of the last translation, by name.
void add_listener(const Objects& objects, const std::string& name, const Port& port,
                  std::map<std::string, RouteTable>& tables, Translation& out);

/// Adds a hash of the configuration to a listener's metadata, with which it answers probes: another listener,
/// or the same one with another configuration, has another hash.
void add_configuration(json::Object& listener);

}  // namespace fairway::gateway
