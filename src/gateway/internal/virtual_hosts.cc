#include "gateway/internal/virtual_hosts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/internal/probe.h"

namespace fairway::gateway {

namespace {

/// The patterns that cover a hostname, the narrowest first.
std::vector<std::string> patterns_of(const std::string& hostname) {
  std::vector<std::string> patterns{hostname};
  if (hostname.empty()) return patterns;
  const std::string_view rest =
      hostname.starts_with("*.") ? std::string_view(hostname).substr(1) : std::string_view(hostname);
  for (std::size_t dot = rest.find('.', 1); dot != std::string_view::npos; dot = rest.find('.', dot + 1))
    patterns.push_back("*" + std::string(rest.substr(dot)));
  patterns.emplace_back();
  return patterns;
}

/// The routes of a port by listener and hostname: to look at all of them for each hostname would take the
/// square of their number.
class RoutesByName {
 public:
  explicit RoutesByName(const Port& port) {
    for (std::size_t i = 0; i < port.served.size(); ++i) {
      const Attachment& attachment = *port.served[i].attachment;
      for (const std::string& name : attachment.hostnames) places_[{attachment.listener, name}].push_back(i);
    }
  }

  /// The places in `Port::served` of those that cover a hostname, in order, each with the narrowest of its
  /// own that does.
  std::map<std::size_t, std::string> covering(const Listener* owner, const std::string& hostname) const {
    std::map<std::size_t, std::string> found;
    for (const std::string& pattern : patterns_of(hostname)) {
      const auto there = places_.find({owner, pattern});
      if (there == places_.end()) continue;
      for (const std::size_t place : there->second) found.try_emplace(place, pattern);
    }
    return found;
  }

 private:
  std::map<std::pair<const Listener*, std::string>, std::vector<std::size_t>> places_;
};

/// Those of a hostname's listener, in the order in which they are asked.
std::vector<PlacedRoute> placed(const Port& port, const RoutesByName& by_name, const std::string& hostname) {
  struct Candidate {
    std::string_view hostname;
    const EnvoyRoute* route;
    PlacedRoute placed;
  };
  const auto covering = by_name.covering(port.owner_of(hostname), hostname);
  std::vector<Candidate> candidates;
  for (const auto& [place, pattern] : covering) {
    if (port.served[place].routes == nullptr) continue;
    const auto& routes = *port.served[place].routes;
    for (std::size_t i = 0; i < routes.size(); ++i)
      candidates.push_back({pattern, &routes[i], {.served = &port.served[place], .number = i}});
  }
  // What is equal stays in the order of age and rules, in which it is here.
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.hostname != b.hostname) return is_narrower(a.hostname, b.hostname);
    return a.route->precedence > b.route->precedence;
  });
  std::vector<PlacedRoute> all;
  all.reserve(candidates.size());
  for (const Candidate& candidate : candidates) all.push_back(candidate.placed);
  return all;
}

json::Object virtual_host(const Port& port, const RoutesByName& by_name, const std::string& hostname) {
  json::Array routes;
  for (const auto& [served, number] : placed(port, by_name, hostname))
    routes.push_back((*served->routes)[number].route);
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain}, {"domains", json::Array{domain}}, {"routes", std::move(routes)}};
}

json::Object misdirected(const std::string& hostname) {
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain},
          {"domains", json::Array{domain}},
          {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                              {"direct_response", json::Object{{"status", 421}}}}}}};
}

/// What probes are answered by, with what the listener itself has: routes come apart from it.
json::Object probe_answer() {
  json::Object header{{"key", probe_header}, {"value", "%METADATA(LISTENER:fairway:configuration)%"}};
  return {{"name", probe_host},
          {"domains", json::Array{probe_host}},
          {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                              {"direct_response", json::Object{{"status", 200}}},
                                              {"response_headers_to_add",
                                               json::Array{json::Object{{"header", std::move(header)}}}}}}}};
}

json::Object configuration(const std::string& name, json::Array hosts) {
  return {{"name", name}, {"ignore_port_in_host_matching", true}, {"virtual_hosts", std::move(hosts)}};
}

/// The hostnames that the routes of a port have, or those of one listener of it, and its listeners.
std::set<std::string> hostnames_of(const Port& port, const Listener* listener) {
  std::set<std::string> hostnames;
  for (const Listener* one : port.listeners) hostnames.insert(one->hostname);
  for (const ServedRoute& served : port.served) {
    if (listener == nullptr || served.attachment->listener == listener)
      hostnames.insert(served.attachment->hostnames.begin(), served.attachment->hostnames.end());
  }
  // A route with the name of the probes would answer them, well or ill, for all others of the port.
  if (listener == nullptr && port.gateway->parameters.ready) hostnames.erase(std::string(probe_host));
  return hostnames;
}

}  // namespace

json::Object routes_of_port(const std::string& name, const Port& port) {
  const std::set<std::string> hostnames = hostnames_of(port, nullptr);
  const RoutesByName by_name(port);
  json::Array hosts;
  for (const std::string& hostname : hostnames) hosts.push_back(virtual_host(port, by_name, hostname));
  if (port.gateway->parameters.ready) hosts.push_back(probe_answer());
  return configuration(name, std::move(hosts));
}

json::Object routes_of_listener(const std::string& name, const Port& port, const Listener& listener) {
  const std::set<std::string> hostnames = hostnames_of(port, &listener);
  const RoutesByName by_name(port);
  json::Array hosts;
  for (const std::string& hostname : hostnames)
    hosts.push_back(port.owner_of(hostname) == &listener ? virtual_host(port, by_name, hostname)
                                                         : misdirected(hostname));
  return configuration(name, std::move(hosts));
}

std::vector<PlacedRoute> routes_placed(const Port& port, const Listener* listener, std::string_view host) {
  const std::string hostname(host == "*" ? "" : host);
  if (!hostnames_of(port, listener).contains(hostname)) return {};
  if (listener != nullptr && port.owner_of(hostname) != listener) return {};
  return placed(port, RoutesByName(port), hostname);
}

}  // namespace fairway::gateway
