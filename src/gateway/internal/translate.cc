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

/// Puts a route on the ports of the listeners that it is attached to. `routes_of`: the routes that it
/// becomes, by the scheme of a listener and its port.
template <class RoutesOf>
void serve(const GatewayState& gateway, const RouteState& route, Ports& ports, const RoutesOf& routes_of) {
  std::set<const Listener*> seen;
  for (const ParentState& parent : route.parents) {
    if (parent.gateway != &gateway || !route.is_accepted_by(parent)) continue;
    for (const Attachment& attachment : parent.attachments) {
      const Listener& listener = *attachment.listener;
      if (!listener.is_accepted() || !seen.insert(&listener).second) continue;
      ServedRoute served{&route, &attachment};
      if (is_http(route.kind)) {
        const std::string_view scheme = listener.spec.protocol() == "HTTPS" ? "https" : "http";
        served.routes = routes_of(scheme, listener.spec.port());
      }
      ports.at(port_of(listener)).served.push_back(std::move(served));
    }
  }
}

/// The oldest first, without those that cannot be served.
std::vector<const RouteState*> by_age_of(const std::deque<RouteState>& routes) {
  std::vector<const RouteState*> by_age;
  for (const RouteState& route : routes) {
    if (!route.facts->invalid) by_age.push_back(&route);
  }
  std::ranges::stable_sort(by_age, [](const auto* a, const auto* b) { return is_older(a->age, b->age); });
  return by_age;
}

}  // namespace

KnownTranslations::Routes KnownTranslations::routes(const RouteState& route, const BackendsOf& backends,
                                                    std::string_view scheme, std::int64_t port) {
  std::vector<Known>& all = known_[route.object];
  const k8s::Key gateway = backends.gateway.object->key();
  auto found = std::ranges::find_if(all, [&](const Known& one) {
    return one.port == port && one.scheme == scheme && one.gateway == gateway;
  });
  const auto leads_there = [&](const AskedBackend& asked) {
    return add_cluster(backends, asked.ref) == asked.cluster;
  };
  if (found != all.end() && std::ranges::all_of(found->asked, leads_there)) {
    found->is_used = true;
    return found->routes;
  }
  Known made{.route = route.held,
             .gateway = gateway,
             .scheme = std::string(scheme),
             .port = port,
             .asked = {},
             .routes = {}};
  BackendsOf noted = backends;
  noted.asked = &made.asked;
  made.routes = std::make_shared<const std::vector<EnvoyRoute>>(envoy_routes(noted, scheme, port));
  if (found == all.end()) found = all.emplace(all.end());
  *found = std::move(made);
  return found->routes;
}

KnownTranslations::Routes KnownTranslations::find(const RouteState& route, const k8s::Key& gateway,
                                                  std::string_view scheme, std::int64_t port) const {
  const auto all = known_.find(route.object);
  if (all == known_.end()) return nullptr;
  const auto found = std::ranges::find_if(all->second, [&](const Known& one) {
    return one.port == port && one.scheme == scheme && one.gateway == gateway;
  });
  return found != all->second.end() ? found->routes : nullptr;
}

void KnownTranslations::forget_others() {
  for (auto& [object, all] : known_) {
    std::erase_if(all, [](const Known& one) { return !one.is_used; });
    for (Known& one : all) one.is_used = false;
  }
  std::erase_if(known_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(tables_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [name, table] : tables_) table.is_used = false;
}

Ports served_ports(const GatewayState& gateway, const std::deque<RouteState>& routes,
                   const KnownTranslations& known) {
  Ports ports = ports_of(gateway);
  const k8s::Key key = gateway.object->key();
  for (const RouteState* route : by_age_of(routes)) {
    serve(gateway, *route, ports,
          [&](std::string_view scheme, std::int64_t port) { return known.find(*route, key, scheme, port); });
  }
  return ports;
}

Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes, KnownTranslations& known) {
  Translation out;
  ClusterNames names;
  const auto by_age = by_age_of(routes);
  for (const GatewayState& gateway : gateways.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    auto ports = ports_of(gateway);
    for (const RouteState* route : by_age) {
      const BackendsOf backends{objects, gateway, *route->object, route->kind, true, out, &names};
      serve(gateway, *route, ports, [&](std::string_view scheme, std::int64_t port) {
        return known.routes(*route, backends, scheme, port);
      });
    }
    for (const std::string& address : addresses_of(gateway)) {
      for (auto& [number, port] : ports) {
        port.address = address;
        add_listener(objects, listener_name(address, gateway, *port.listeners.front()), port, known.tables(),
                     out);
      }
    }
  }
  known.forget_others();
  return out;
}

}  // namespace fairway::gateway
