// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/envoy_listeners.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/digest.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/translation/envoy_access_log.h"
#include "gateway/internal/translation/envoy_clusters.h"
#include "gateway/internal/translation/envoy_connections.h"
#include "gateway/internal/translation/envoy_headers.h"
#include "gateway/internal/translation/envoy_json.h"
#include "gateway/internal/translation/envoy_names.h"
#include "gateway/internal/translation/envoy_settings.h"
#include "gateway/internal/translation/envoy_tls.h"
#include "gateway/internal/translation/envoy_tracing.h"

namespace fairway::gateway {

namespace {

/// Digits of a hash that identify a configuration.
constexpr std::size_t configuration_digits = 16;

/// Returns a listener with its name and address only. Its workers share one TCP socket. With SO_REUSEPORT,
/// which is Envoy's default, another process of the same user could bind the port as well, and Envoy could
/// bind that of another process; either would get a share of the connections. For UDP, Envoy refuses a socket
/// that several workers share.
json::Object listener_at(const std::string& name, const Port& port, bool is_udp) {
  const std::string_view host = port.address.empty() ? "0.0.0.0" : std::string_view(port.address);
  json::Object made{{"name", name}, {"address", address_at(host, port.number, is_udp)}};
  if (is_udp) return made;
  made["enable_reuse_port"] = false;
  // The kernel wakes the same worker again and again: of 32 connections one of two workers had 29.
  made["connection_balance_config"] = json::Object{{"exact_balance", json::Object{}}};
  if (json::Array options = keepalive_options(port.gateway->endpoints.keepalive); !options.empty())
    made["socket_options"] = std::move(options);
  return made;
}

/// Makes a filter write the access log that the Gateway's parameters ask for.
void add_access_log(const Port& port, json::Object& filter) {
  const auto& log = port.gateway->parameters.access_log;
  if (!log) return;
  json::Object& settings = filter.at("typed_config").get_object();
  settings["access_log"] = envoy_access_log(*log);
  if (!settings.contains("http_filters") || std::ranges::find(log->fields, "path") == log->fields.end())
    return;
  json::Array& filters = settings.at("http_filters").get_array();
  filters.insert(filters.begin(), asked_path_filter());
}

json::Object http_manager(const Port& port, const std::string& routes, Translation& out) {
  json::Object filter =
      extension("envoy.filters.network.http_connection_manager",
                "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
                {{"stat_prefix", "gateway"},
                 {"rds", json::Object{{"config_source", by_ads()}, {"route_config_name", routes}}},
                 {"normalize_path", true},
                 {"use_remote_address", true},
                 {"upgrade_configs", json::Array{json::Object{{"upgrade_type", "websocket"}}}},
                 {"http_filters", http_filters()}});
  add_header_settings(port.address, filter.at("typed_config").get_object());
  add_access_log(port, filter);
  add_client_times(port.gateway->parameters.connection_times(), port.gateway->endpoints.keepalive,
                   filter.at("typed_config").get_object());
  if (const auto& tracing = port.gateway->tracing) {
    filter.at("typed_config").get_object()["tracing"] =
        envoy_tracing(*tracing, port.gateway->object->key().to_string(), out);
  }
  return filter;
}

/// Returns a filter that passes connections on to the backends of a rule, and closes them if there are none.
json::Object tcp_proxy(const Port& port, json::Array clusters) {
  // Envoy would end connections after an hour without a byte.
  json::Object proxy{{"stat_prefix", "gateway"}, {"idle_timeout", "0s"}};
  if (clusters.size() > 1) {
    proxy["weighted_clusters"] = json::Object{{"clusters", std::move(clusters)}};
  } else {
    proxy["cluster"] = clusters.empty() ? json::Value(no_cluster) : clusters[0].get_object().at("name");
  }
  json::Object filter = extension("envoy.filters.network.tcp_proxy",
                                  "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", std::move(proxy));
  add_access_log(port, filter);
  return filter;
}

json::Object filter_chain(const std::string& name, json::Object filter,
                          const std::vector<std::string>& server_names = {},
                          std::optional<json::Object> tls = std::nullopt) {
  json::Object chain{{"name", name}, {"filters", json::Array{std::move(filter)}}};
  json::Array names;
  for (const std::string& server : server_names) {
    if (!server.empty()) names.emplace_back(server);
  }
  if (!names.empty()) chain["filter_chain_match"] = json::Object{{"server_names", std::move(names)}};
  if (tls) chain["transport_socket"] = *std::move(tls);
  return chain;
}

/// Returns the backends of a route's first rule: nothing in a connection distinguishes rules.
json::Array backends_of_connections(const Objects& objects, const Port& port, const RouteState& route,
                                    bool has_policies, Translation& out) {
  const auto rules = route.object->items("spec.rules");
  if (rules.empty()) return {};
  return weighted_clusters({objects, *port.gateway, *route.object, route.kind, has_policies, out}, rules[0]);
}

/// Returns the name of a listener within its Gateway: with its owner, if that is a ListenerSet.
std::string section_of(const Port& port, const Listener& listener) {
  const std::string section(listener.spec.name());
  return listener.owner == port.gateway->object ? section : listener.owner->key().to_string() + "/" + section;
}

/// Returns the route of a TLS listener that gets the connections for each hostname: the one whose own
/// hostname is the narrowest, and of several the oldest.
std::map<std::string_view, const ServedRoute*> owners_of_names(const Port& port, const Listener& listener) {
  std::map<std::string_view, const ServedRoute*> owners;
  for (const ServedRoute& served : port.served) {
    if (served.attachment->listener != &listener) continue;
    for (const std::string& hostname : served.attachment->hostnames) {
      const auto [at, is_new] = owners.try_emplace(hostname, &served);
      if (!is_new && is_narrower(served.attachment->own_hostname(hostname),
                                 at->second->attachment->own_hostname(hostname)))
        at->second = &served;
    }
  }
  return owners;
}

/// Adds the filter chains of a TLS listener: one for each route, for those of its names that no other has.
void add_tls_chains(const Objects& objects, const Port& port, const Listener& listener,
                    std::set<std::string>& taken, json::Array& chains, Translation& out) {
  const bool terminates = listener.spec.tls_mode() == "Terminate";
  const auto owners = owners_of_names(port, listener);
  for (const ServedRoute& served : port.served) {
    if (served.attachment->listener != &listener) continue;
    std::vector<std::string> names;
    for (const std::string& hostname : served.attachment->hostnames) {
      if (owners.at(hostname) == &served && port.owner_of(hostname) == &listener &&
          taken.insert(hostname).second)
        names.push_back(hostname);
    }
    if (names.empty()) continue;
    // No name is every name: the others are a part of it.
    if (std::ranges::find(names, "") != names.end()) names.clear();
    std::optional<json::Object> tls;
    if (terminates) tls = listener_tls(objects, *port.gateway->object, listener, false, out);
    chains.push_back(
        filter_chain(section_of(port, listener) + "/" + served.route->object->key().to_string(),
                     tcp_proxy(port, backends_of_connections(objects, port, *served.route, terminates, out)),
                     names, std::move(tls)));
  }
}

/// Returns the listener of HTTPS and TLS, which chooses by the server name that clients ask for (SNI).
/// Clients that ask for none of the names are refused.
json::Object tls_listener(const Objects& objects, const std::string& name, const Port& port,
                          std::map<std::string, RouteTable>& tables, Translation& out) {
  json::Object made = listener_at(name, port, false);
  made["listener_filters"] =
      json::Array{extension("envoy.filters.listener.tls_inspector",
                            "envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector")};
  json::Array chains;
  std::set<std::string> taken;
  for (const Listener* listener : port.listeners) {
    if (listener->spec.protocol() != "HTTPS" || !listener->is_accepted()) continue;
    taken.insert(listener->hostname);
    const std::string routes = routes_name(name, *port.gateway, *listener);
    chains.push_back(filter_chain(section_of(port, *listener), http_manager(port, routes, out),
                                  {listener->hostname},
                                  listener_tls(objects, *port.gateway->object, *listener, true, out)));
    out.routes.emplace(routes, tables[routes].of_listener(routes, port, *listener));
  }
  for (const Listener* listener : port.listeners) {
    if (listener->spec.protocol() == "TLS") add_tls_chains(objects, port, *listener, taken, chains, out);
  }
  for (const Listener* listener : port.listeners) {
    // Nobody is let in by the chain of a wider name.
    if (!listener->is_accepted() && taken.insert(listener->hostname).second)
      chains.push_back(filter_chain(section_of(port, *listener), tcp_proxy(port, {}), {listener->hostname}));
  }
  // Envoy takes no listener without a chain.
  if (chains.empty()) chains.push_back(filter_chain("none", tcp_proxy(port, {})));
  made["filter_chains"] = std::move(chains);
  add_handshake_times(port.gateway->parameters.connection_times(), made);
  return made;
}

json::Object udp_listener(const Objects& objects, const std::string& name, const Port& port,
                          Translation& out) {
  json::Object made = listener_at(name, port, true);
  json::Array clusters;
  if (!port.served.empty())
    clusters = backends_of_connections(objects, port, *port.served.front().route, false, out);
  json::Value cluster = clusters.empty() ? json::Value(no_cluster) : clusters[0].get_object().at("name");
  // Envoy's proxy of datagrams knows one cluster.
  if (clusters.size() > 1) {
    const std::string combined = name + "/" + port.served.front().route->object->key().to_string() + ":udp";
    add_combined_cluster(combined, clusters, port.gateway->endpoints, out);
    cluster = combined;
  }
  const json::Object route =
      extension("route", "envoy.extensions.filters.udp.udp_proxy.v3.Route", {{"cluster", cluster}});
  made["udp_listener_config"] = json::Object{};
  made["listener_filters"] = json::Array{extension(
      "envoy.filters.udp_listener.udp_proxy", "envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig",
      {{"stat_prefix", "gateway"},
       {"idle_timeout", seconds(port.gateway->parameters.connection_times().session)},
       {"matcher", json::Object{{"on_no_match", json::Object{{"action", route}}}}}})};
  return made;
}

}  // namespace

void add_configuration(json::Object& listener) {
  listener.erase("metadata");
  const std::string hash = sha256_hex(json::to_text(listener)).substr(0, configuration_digits);
  listener["metadata"] =
      json::Object{{"filter_metadata", json::Object{{"fairway", json::Object{{"configuration", hash}}}}}};
}

void add_listener(const Objects& objects, const std::string& name, const Port& port,
                  std::map<std::string, RouteTable>& tables, Translation& out) {
  const std::string_view protocol = port.listeners.front()->spec.protocol();
  json::Object made;
  if (protocol == "HTTP") {
    const std::string routes = routes_name(name, *port.gateway, *port.listeners.front());
    made = listener_at(name, port, false);
    made["filter_chains"] =
        json::Array{json::Object{{"filters", json::Array{http_manager(port, routes, out)}}}};
    out.routes.emplace(routes, tables[routes].of_port(routes, port));
    if (port.gateway->parameters.ready) add_configuration(made);
  } else if (protocol == "TCP") {
    made = listener_at(name, port, false);
    json::Array clusters;
    if (!port.served.empty())
      clusters = backends_of_connections(objects, port, *port.served.front().route, false, out);
    made["filter_chains"] =
        json::Array{json::Object{{"filters", json::Array{tcp_proxy(port, std::move(clusters))}}}};
  } else if (protocol == "UDP") {
    made = udp_listener(objects, name, port, out);
  } else {
    made = tls_listener(objects, name, port, tables, out);
  }
  out.listeners.emplace(name, std::move(made));
}

}  // namespace fairway::gateway
