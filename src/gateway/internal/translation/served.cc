// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/served.h"

#include <algorithm>
#include <string_view>

#include "base/digest.h"
#include "base/json.h"
#include "gateway/internal/translation/envoy_names.h"

namespace fairway::gateway {

using xds::ResourceName;
using xds::Type;

Served served_by(const GatewayStates& gateways, Translation translation,
                 const std::set<std::string>& asked_for, ResourceCache& cache) {
  DiscoveryResources made = discovery_resources(std::move(translation), asked_for, cache);
  Served served{.resources = std::move(made.resources), .needs = std::move(made.needs)};
  const bool is_wanted =
      std::ranges::any_of(gateways.gateways, [](const auto& one) { return one.parameters.ready; });
  // To hash costs time, and nobody asks.
  if (!is_wanted) return served;
  for (const auto& [name, needs] : served.needs) {
    const auto listener = served.resources.find({Type::listener, name});
    if (listener == served.resources.end()) continue;
    std::string text = json::to_text(listener->second.rest());
    for (const ResourceName& need : needs) {
      if (need.type == Type::secret) text += json::to_text(served.resources.at(need).rest());
    }
    served.configurations.emplace(name, sha256_hex(text));
  }
  for (const GatewayState& gateway : gateways.gateways) {
    for (const Listener& listener : gateway.listeners) {
      Served::Place place{.port = listener.spec.port()};
      for (const std::string& name : listener_names(gateway, listener)) {
        if (listener.is_accepted() && served.configurations.contains(name)) place.names.insert(name);
      }
      if (!place.names.empty())
        served.places.emplace(std::pair(owner_of(*listener.owner), listener.spec.name()), std::move(place));
    }
  }
  return served;
}

}  // namespace fairway::gateway
