#include "gateway/internal/translate.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gateway/internal/envoy_listeners.h"
#include "gateway/internal/envoy_routes.h"
#include "gateway/internal/ports.h"

namespace fairway::gateway {

namespace {

/// The ports of a Gateway by the names of their listeners, still without routes.
std::map<std::string, Port> ports_of(const GatewayState& gateway) {
  std::map<std::string, Port> ports;
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    Port& port = ports[listener_name(gateway, listener)];
    port.gateway = &gateway;
    port.number = listener.spec.port();
    port.listeners.push_back(&listener);
  }
  return ports;
}

/// Puts a route on the ports of the listeners that it is attached to.
void serve(const Objects& objects, const RouteState& route, std::map<std::string, Port>& ports,
           const GatewayState& gateway, Translation& out) {
  std::set<const Listener*> seen;
  for (const ParentState& parent : route.parents) {
    if (parent.gateway != &gateway || !route.is_accepted_by(parent)) continue;
    for (const Attachment& attachment : parent.attachments) {
      const Listener& listener = *attachment.listener;
      if (!listener.is_accepted() || !seen.insert(&listener).second) continue;
      Served served{&route, &attachment};
      if (is_http(route.kind)) {
        const std::string_view scheme = listener.spec.protocol() == "HTTPS" ? "https" : "http";
        served.routes = envoy_routes({objects, gateway, *route.object, route.kind, true, out}, scheme,
                                     listener.spec.port());
      }
      ports.at(listener_name(gateway, listener)).served.push_back(std::move(served));
    }
  }
}

}  // namespace

std::string listener_name(const GatewayState& gateway, const Listener& listener) {
  const std::string name = gateway.object->key().to_string() + ":" + std::to_string(listener.spec.port());
  return listener.spec.protocol() == "UDP" ? name + "/udp" : name;
}

std::string routes_name(const GatewayState& gateway, const Listener& listener) {
  std::string name = listener_name(gateway, listener);
  if (listener.spec.protocol() != "HTTPS") return name;
  const std::string owner = listener.owner == gateway.object ? "" : listener.owner->key().to_string() + "/";
  return name + "#" + owner + std::string(listener.spec.name());
}

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
    for (const auto& [name, port] : ports) add_listener(objects, name, port, out);
  }
  return out;
}

}  // namespace fairway::gateway
