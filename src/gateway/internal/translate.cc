#include "gateway/internal/translate.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gateway/internal/envoy_listeners.h"
#include "gateway/internal/envoy_names.h"
#include "gateway/internal/envoy_routes.h"
#include "gateway/internal/ports.h"

namespace fairway::gateway {

namespace {

using Ports = std::map<std::pair<std::int64_t, bool>, Port>;

/// By number, and whether it is one of UDP.
Ports::key_type port_of(const Listener& listener) {
  return {listener.spec.port(), listener.spec.protocol() == "UDP"};
}

/// The ports of a Gateway, still without routes.
Ports ports_of(const GatewayState& gateway) {
  Ports ports;
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    Port& port = ports[port_of(listener)];
    port.gateway = &gateway;
    port.number = listener.spec.port();
    port.listeners.push_back(&listener);
  }
  return ports;
}

/// Puts a route on the ports of the listeners that it is attached to.
void serve(const Objects& objects, const RouteState& route, Ports& ports, const GatewayState& gateway,
           Translation& out) {
  std::set<const Listener*> seen;
  for (const ParentState& parent : route.parents) {
    if (parent.gateway != &gateway || !route.is_accepted_by(parent)) continue;
    for (const Attachment& attachment : parent.attachments) {
      const Listener& listener = *attachment.listener;
      if (!listener.is_accepted() || !seen.insert(&listener).second) continue;
      ServedRoute served{&route, &attachment};
      if (is_http(route.kind)) {
        const std::string_view scheme = listener.spec.protocol() == "HTTPS" ? "https" : "http";
        served.routes = envoy_routes({objects, gateway, *route.object, route.kind, true, out}, scheme,
                                     listener.spec.port());
      }
      ports.at(port_of(listener)).served.push_back(std::move(served));
    }
  }
}

}  // namespace

Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes) {
  Translation out;
  std::vector<const RouteState*> by_age;
  for (const RouteState& route : routes) {
    if (!route.invalid) by_age.push_back(&route);
  }
  std::ranges::stable_sort(by_age,
                           [](const auto* a, const auto* b) { return is_older(*a->object, *b->object); });
  for (const GatewayState& gateway : gateways.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    auto ports = ports_of(gateway);
    for (const RouteState* route : by_age) serve(objects, *route, ports, gateway, out);
    for (const std::string& address : addresses_of(gateway)) {
      for (auto& [number, port] : ports) {
        port.address = address;
        add_listener(objects, listener_name(address, gateway, *port.listeners.front()), port, out);
      }
    }
  }
  return out;
}

}  // namespace fairway::gateway
