// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/translate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "gateway/internal/translation/envoy_listeners.h"
#include "gateway/internal/translation/envoy_names.h"
#include "gateway/internal/translation/envoy_routes.h"
#include "gateway/internal/translation/ports.h"

namespace fairway::gateway {

namespace {

/// Returns the port of a listener: its number, and whether it is UDP.
Ports::key_type port_of(const Listener& listener) {
  return {listener.spec.port(), listener.spec.protocol() == "UDP"};
}

/// Returns the ports of a Gateway, without routes.
Ports ports_of(const GatewayState& gateway) {
  Ports ports;
  for (const Listener& listener : gateway.listeners) {
    if (!listener.is_accepted()) continue;
    Port& port = ports[port_of(listener)];
    port.gateway = &gateway;
    port.number = listener.spec.port();
    port.listeners.push_back(&listener);
  }
  const auto has_tls = [](const Listener& listener) { return listener.spec.protocol() != "HTTP"; };
  for (const Listener& listener : gateway.listeners) {
    if (listener.is_accepted() || !listener.is_guarded) continue;
    const auto port = ports.find(port_of(listener));
    // Behind the others: of two with the same hostname the one that is accepted serves it.
    if (port != ports.end() && has_tls(*port->second.listeners.front()) == has_tls(listener))
      port->second.listeners.push_back(&listener);
  }
  return ports;
}

/// Adds a route to the ports of the listeners that it is attached to. `routes_of` returns its Envoy routes,
/// for the scheme and port of a listener.
template <class RoutesOf>
void serve(const GatewayState& gateway, const RouteState& route, Ports& ports, const RoutesOf& routes_of) {
  std::vector<const Listener*> seen;
  for (const ParentState& parent : route.parents) {
    if (parent.gateway != &gateway || !route.is_accepted_by(parent)) continue;
    for (const Attachment& attachment : parent.attachments) {
      const Listener& listener = *attachment.listener;
      if (!listener.is_accepted() || std::ranges::find(seen, &listener) != seen.end()) continue;
      seen.push_back(&listener);
      ServedRoute served{&route, &attachment};
      if (is_http(route.kind)) {
        const std::string_view scheme = listener.spec.protocol() == "HTTPS" ? "https" : "http";
        served.routes = routes_of(scheme, listener.spec.port());
      }
      ports.at(port_of(listener)).served.push_back(std::move(served));
    }
  }
}

/// Returns the routes that can be served, the oldest first.
std::vector<const RouteState*> by_age_of(const std::deque<RouteState>& routes) {
  std::vector<const RouteState*> by_age;
  for (const RouteState& route : routes) {
    if (!route.facts->invalid) by_age.push_back(&route);
  }
  std::ranges::stable_sort(by_age, [](const auto* a, const auto* b) { return is_older(a->age, b->age); });
  return by_age;
}

}  // namespace

void TranslationCache::begin(const Objects& objects, bool are_gateways_same) {
  std::vector<std::uint64_t> world;
  for (const auto& [group, kind] : {std::pair<std::string_view, std::string_view>{"", "Service"},
                                    {"", "Secret"},
                                    {"", "ConfigMap"},
                                    {trust_bundle_group, trust_bundle_kind},
                                    {"discovery.k8s.io", "EndpointSlice"}})
    world.push_back(objects.revision(group, kind));
  for (const char* kind : {"ReferenceGrant", "BackendTLSPolicy"})
    world.push_back(objects.revision(gateway_group, kind));
  is_same_world_ = are_gateways_same && world == world_;
  world_ = std::move(world);
}

bool TranslationCache::still_leads_there(const Cached& cached, Translation& out) const {
  if (!is_same_world_ || !cached.was_used) return false;
  for (const AskedBackend& asked : cached.asked) {
    if (asked.cluster.empty() || out.clusters.contains(asked.cluster)) continue;
    const auto found = clusters_.find(asked.cluster);
    // With its key pair, where it has one.
    if (found == clusters_.end() || found->second.contains("transport_socket")) return false;
    out.clusters.emplace(*found);
  }
  return true;
}

TranslationCache::Routes TranslationCache::routes(const RouteState& route, const BackendsOf& backends,
                                                  const k8s::Key& gateway, std::string_view scheme,
                                                  std::int64_t port) {
  std::vector<Cached>& all = cache_[route.object];
  auto found = std::ranges::find_if(all, [&](const Cached& one) {
    return one.port == port && one.scheme == scheme && one.gateway == gateway;
  });
  const auto leads_there = [&](const AskedBackend& asked) {
    return add_cluster(backends, asked.ref, asked.use) == asked.cluster;
  };
  if (found != all.end() &&
      (still_leads_there(*found, backends.out) || std::ranges::all_of(found->asked, leads_there))) {
    found->is_used = true;
    return found->routes;
  }
  Cached made{.route = route.held,
              .gateway = gateway,
              .scheme = std::string(scheme),
              .port = port,
              .asked = {},
              .routes = {}};
  BackendsOf recording = backends;
  recording.asked = &made.asked;
  made.routes = std::make_shared<const std::vector<EnvoyRoute>>(envoy_routes(recording, scheme, port));
  if (found == all.end()) found = all.emplace(all.end());
  *found = std::move(made);
  return found->routes;
}

TranslationCache::Routes TranslationCache::find(const RouteState& route, const k8s::Key& gateway,
                                                std::string_view scheme, std::int64_t port) const {
  const auto all = cache_.find(route.object);
  if (all == cache_.end()) return nullptr;
  const auto found = std::ranges::find_if(all->second, [&](const Cached& one) {
    return one.port == port && one.scheme == scheme && one.gateway == gateway;
  });
  return found != all->second.end() ? found->routes : nullptr;
}

std::vector<const RouteState*> TranslationCache::by_age(const std::deque<RouteState>& routes) {
  const auto comes_first = [&](std::size_t a, std::size_t b) {
    if (is_older(routes[a].age, routes[b].age)) return true;
    return a < b && !is_older(routes[b].age, routes[a].age);
  };
  // Mostly the order stays.
  if (order_.size() != routes.size() || !std::ranges::is_sorted(order_, comes_first)) {
    order_.resize(routes.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, comes_first);
  }
  std::vector<const RouteState*> ordered;
  ordered.reserve(routes.size());
  for (const std::size_t place : order_) {
    if (!routes[place].facts->invalid) ordered.push_back(&routes[place]);
  }
  return ordered;
}

void TranslationCache::end(const Translation& translation) {
  std::erase_if(clusters_, [&](const auto& entry) { return !translation.clusters.contains(entry.first); });
  for (const auto& [name, cluster] : translation.clusters) {
    auto& cached = clusters_[name];
    if (!is_same_world_ || cached.empty()) cached = cluster;
  }
  for (auto& [object, all] : cache_) {
    std::erase_if(all, [](const Cached& one) { return !one.is_used; });
    for (Cached& one : all) {
      one.is_used = false;
      one.was_used = true;
    }
  }
  std::erase_if(cache_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(tables_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [name, table] : tables_) table.is_used = false;
}

Ports served_ports(const GatewayState& gateway, const std::deque<RouteState>& routes,
                   const TranslationCache& cached) {
  Ports ports = ports_of(gateway);
  const k8s::Key key = gateway.object->key();
  for (const RouteState* route : by_age_of(routes)) {
    serve(gateway, *route, ports,
          [&](std::string_view scheme, std::int64_t port) { return cached.find(*route, key, scheme, port); });
  }
  return ports;
}

Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes, TranslationCache& cached,
                      bool are_gateways_same) {
  Translation out;
  ClusterNames names;
  cached.begin(objects, are_gateways_same);
  const auto by_age = cached.by_age(routes);
  for (const GatewayState& gateway : gateways.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    auto ports = ports_of(gateway);
    const k8s::Key key = gateway.object->key();
    for (const RouteState* route : by_age) {
      const BackendsOf backends{objects, gateway, *route->object, route->kind, true, out, &names};
      serve(gateway, *route, ports, [&](std::string_view scheme, std::int64_t port) {
        return cached.routes(*route, backends, key, scheme, port);
      });
    }
    for (const std::string& address : addresses_of(gateway)) {
      for (auto& [number, port] : ports) {
        port.address = address;
        add_listener(objects, listener_name(address, gateway, *port.listeners.front()), port, cached.tables(),
                     out);
      }
    }
  }
  cached.end(out);
  return out;
}

}  // namespace fairway::gateway
