#include "gateway/internal/virtual_hosts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "gateway/internal/hostname.h"

namespace fairway::gateway {

namespace {

/// Those of a hostname's listener, in the order in which they are asked.
json::Object virtual_host(const Port& port, const std::string& hostname) {
  const Listener* owner = port.owner_of(hostname);
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

json::Object misdirected(const std::string& hostname) {
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain},
          {"domains", json::Array{domain}},
          {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                              {"direct_response", json::Object{{"status", 421}}}}}}};
}

json::Object configuration(const std::string& name, json::Array hosts) {
  return {{"name", name}, {"ignore_port_in_host_matching", true}, {"virtual_hosts", std::move(hosts)}};
}

}  // namespace

json::Object routes_of_port(const std::string& name, const Port& port) {
  std::set<std::string> hostnames;
  for (const Listener* listener : port.listeners) hostnames.insert(listener->hostname);
  for (const Served& served : port.served)
    hostnames.insert(served.attachment->hostnames.begin(), served.attachment->hostnames.end());
  json::Array hosts;
  for (const std::string& hostname : hostnames) hosts.push_back(virtual_host(port, hostname));
  return configuration(name, std::move(hosts));
}

json::Object routes_of_listener(const std::string& name, const Port& port, const Listener& listener) {
  std::set<std::string> hostnames;
  for (const Listener* one : port.listeners) hostnames.insert(one->hostname);
  for (const Served& served : port.served) {
    if (served.attachment->listener == &listener)
      hostnames.insert(served.attachment->hostnames.begin(), served.attachment->hostnames.end());
  }
  json::Array hosts;
  for (const std::string& hostname : hostnames)
    hosts.push_back(port.owner_of(hostname) == &listener ? virtual_host(port, hostname)
                                                         : misdirected(hostname));
  return configuration(name, std::move(hosts));
}

}  // namespace fairway::gateway
