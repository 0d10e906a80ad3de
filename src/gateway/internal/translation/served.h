// SPDX-License-Identifier: Apache-2.0

// The resources that Envoys are given, and where each listener is in them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/model/owner.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "gateway/internal/translation/translation.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// The configuration that Envoys are given.
struct Served {
  /// The place of a listener: the names of Envoy's listeners, and the port.
  struct Place {
    std::set<std::string> names;
    std::int64_t port = 0;
  };
  xds::Resources resources = {};
  /// The resources that each of Envoy's listeners needs, and a hash of the listener and its key pairs.
  /// Routes, clusters and endpoints are not in the hash: they change while traffic flows.
  std::map<std::string, std::set<xds::ResourceName>> needs = {};
  std::map<std::string, std::string> configurations = {};
  /// The places of listeners, by owner and name.
  std::map<std::pair<Owner, std::string>, Place> places = {};
};

/// Returns the configuration that Envoys are given for a translation. `asked_for` is that of
/// `discovery_resources`. If no Gateway asks for Ready, there are no `configurations` and no `places`.
Served served_by(const GatewayStates& gateways, Translation translation,
                 const std::set<std::string>& asked_for, ResourceCache& cache);

}  // namespace fairway::gateway
