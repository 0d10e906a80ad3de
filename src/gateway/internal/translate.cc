#include "gateway/internal/translate.h"

#include <algorithm>
#include <set>

#include "gateway/internal/envoy_routes.h"
#include "gateway/internal/hostname.h"

namespace fairway::gateway {

namespace {

/// Whether `a` is more specific than `b`: a name before wildcards, wildcards by their labels, none last.
bool is_narrower(std::string_view a, std::string_view b) {
  const auto rank = [](std::string_view hostname) {
    const bool is_name = !hostname.empty() && !hostname.starts_with("*.");
    return std::pair(is_name, hostname.size());
  };
  return rank(a) > rank(b);
}

/// A route on a listener, and the routes of Envoy that it is.
struct Served {
  const RouteState* route = nullptr;
  const Attachment* attachment = nullptr;
  std::vector<EnvoyRoute> routes;
};

/// One port of a Gateway.
struct Port {
  std::int64_t number = 0;
  std::vector<const Listener*> listeners;
  std::vector<Served> served;
};

/// The listener for a hostname: of those that cover it the narrowest.
const Listener* owner_of(const Port& port, std::string_view hostname) {
  const Listener* owner = nullptr;
  for (const Listener* listener : port.listeners) {
    if (covers(listener->hostname, hostname) &&
        (owner == nullptr || is_narrower(listener->hostname, owner->hostname)))
      owner = listener;
  }
  return owner;
}

/// Those of a hostname's listener, in the order in which they are asked.
json::Object virtual_host(const Port& port, const std::string& hostname) {
  const Listener* owner = owner_of(port, hostname);
  struct Candidate {
    std::string_view hostname;
    const EnvoyRoute* route;
  };
  std::vector<Candidate> candidates;
  for (const Served& served : port.served) {
    if (served.attachment->listener != owner) continue;
    const auto& names = served.attachment->hostnames;
    const auto covering = std::ranges::min_element(names, [&](const std::string& a, const std::string& b) {
      const bool first = covers(a, hostname), second = covers(b, hostname);
      return first != second ? first : is_narrower(a, b);
    });
    if (covering == names.end() || !covers(*covering, hostname)) continue;
    for (const EnvoyRoute& route : served.routes) candidates.push_back({*covering, &route});
  }
  // What is equal stays in the order of age and rules, in which it is here.
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.hostname != b.hostname) return is_narrower(a.hostname, b.hostname);
    return a.route->precedence > b.route->precedence;
  });
  json::Array routes;
  for (const Candidate& candidate : candidates) routes.push_back(candidate.route->route);
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain}, {"domains", json::Array{domain}}, {"routes", std::move(routes)}};
}

json::Object route_configuration(const std::string& name, const Port& port) {
  std::set<std::string> hostnames;
  for (const Listener* listener : port.listeners) hostnames.insert(listener->hostname);
  for (const Served& served : port.served)
    hostnames.insert(served.attachment->hostnames.begin(), served.attachment->hostnames.end());
  json::Array hosts;
  for (const std::string& hostname : hostnames) hosts.push_back(virtual_host(port, hostname));
  return {{"name", name}, {"ignore_port_in_host_matching", true}, {"virtual_hosts", std::move(hosts)}};
}

json::Object listener_resource(const GatewayState& gateway, const std::string& name, const Port& port) {
  json::Object manager{
      {"@type",
       "type.googleapis.com/"
       "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager"},
      {"stat_prefix", "gateway"},
      {"rds",
       json::Object{{"config_source", json::Object{{"ads", json::Object{}}, {"resource_api_version", "V3"}}},
                    {"route_config_name", name}}},
      {"normalize_path", true},
      {"use_remote_address", true},
      {"http_filters",
       json::Array{json::Object{
           {"name", "envoy.filters.http.router"},
           {"typed_config",
            json::Object{
                {"@type", "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}}}}}};
  std::string address = "0.0.0.0";
  for (const k8s::View& one : gateway.object->items("spec.addresses")) {
    if (!one.text("value").empty()) {
      address = one.text("value");
      break;
    }
  }
  const json::Object filter{{"name", "envoy.filters.network.http_connection_manager"},
                            {"typed_config", std::move(manager)}};
  return {{"name", name},
          {"address",
           json::Object{{"socket_address", json::Object{{"address", address}, {"port_value", port.number}}}}},
          {"filter_chains", json::Array{json::Object{{"filters", json::Array{filter}}}}}};
}

}  // namespace

Translation translate(const Objects& objects, const GatewayStates& gateways,
                      const std::deque<RouteState>& routes) {
  Translation out;
  std::vector<const RouteState*> by_age;
  for (const RouteState& route : routes) {
    if (route.kind == RouteKind::http && !route.invalid) by_age.push_back(&route);
  }
  std::ranges::stable_sort(by_age,
                           [](const auto* a, const auto* b) { return is_older(*a->object, *b->object); });
  for (const GatewayState& gateway : gateways.gateways) {
    if (!gateway.is_accepted() || gateway.unusable) continue;
    std::map<std::int64_t, Port> ports;
    std::map<const Listener*, Port*> by_listener;
    for (const Listener& listener : gateway.listeners) {
      if (!listener.is_accepted() || listener.spec.protocol() != "HTTP") continue;
      Port& port = ports[listener.spec.port()];
      port.number = listener.spec.port();
      port.listeners.push_back(&listener);
      by_listener.emplace(&listener, &port);
    }
    for (const RouteState* route : by_age) {
      std::set<const Listener*> seen;
      for (const ParentState& parent : route->parents) {
        if (parent.gateway != &gateway || !route->is_accepted_by(parent)) continue;
        for (const Attachment& attachment : parent.attachments) {
          const auto port = by_listener.find(attachment.listener);
          if (port == by_listener.end() || !seen.insert(attachment.listener).second) continue;
          port->second->served.push_back(
              {route, &attachment,
               envoy_routes(objects, *route, "http", port->second->number, out.clusters)});
        }
      }
    }
    for (const auto& [number, port] : ports) {
      const std::string name = gateway.object->key().to_string() + ":" + std::to_string(number);
      out.listeners.emplace(name, listener_resource(gateway, name, port));
      out.routes.emplace(name, route_configuration(name, port));
    }
  }
  return out;
}

json::Object static_bootstrap(const Translation& translation) {
  json::Array listeners, clusters;
  for (const auto& [name, resource] : translation.listeners) {
    json::Object listener = resource;
    json::Object& chain = listener["filter_chains"].get_array()[0].get_object();
    json::Object& manager = chain["filters"].get_array()[0].get_object()["typed_config"].get_object();
    manager.erase("rds");
    json::Object routes = translation.routes.at(name);
    // A cluster that is never there is meant.
    routes["validate_clusters"] = false;
    manager["route_config"] = std::move(routes);
    listeners.push_back(std::move(listener));
  }
  for (const auto& [name, cluster] : translation.clusters) clusters.push_back(cluster);
  return {{"static_resources",
           json::Object{{"listeners", std::move(listeners)}, {"clusters", std::move(clusters)}}}};
}

}  // namespace fairway::gateway
