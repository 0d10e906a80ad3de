// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/route_tables.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/objects/hostname.h"
#include "k8s/view.h"

namespace fairway::gateway {

namespace {

/// Returns the patterns that cover a hostname, the narrowest first.
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

using ServedRoutes = std::vector<const ServedRoute*>;

/// Routes by listener and hostname: to search all of them for each hostname would take quadratic time.
class RoutesByName {
 public:
  /// Indexes the routes that may match `hostnames`; all routes if it is nullptr.
  RoutesByName(const ServedRoutes& routes, const std::set<std::string>* hostnames) {
    std::unordered_set<std::string> wanted;
    if (hostnames != nullptr) {
      for (const std::string& hostname : *hostnames) {
        for (std::string& pattern : patterns_of(hostname)) wanted.insert(std::move(pattern));
      }
    }
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const Attachment& attachment = *routes[i]->attachment;
      for (const std::string& name : attachment.hostnames) {
        if (hostnames != nullptr && !wanted.contains(name)) continue;
        places_[{attachment.listener, name}].push_back(i);
        names_.insert(name);
      }
    }
  }

  /// Returns the indices of the routes that cover a hostname, in order, each with the narrowest of its own
  /// hostnames that does.
  std::map<std::size_t, std::string> covering(const Listener* owner, const std::string& hostname) const {
    std::map<std::size_t, std::string> found;
    for (const std::string& pattern : patterns_of(hostname)) {
      const auto there = places_.find({owner, pattern});
      if (there == places_.end()) continue;
      for (const std::size_t place : there->second) found.try_emplace(place, pattern);
    }
    return found;
  }
  /// The hostnames of the routes.
  const std::set<std::string>& names() const { return names_; }

 private:
  std::map<std::pair<const Listener*, std::string>, std::vector<std::size_t>> places_;
  std::set<std::string> names_;
};

/// Returns the Envoy routes of a hostname's listener, in the order in which they are tried.
std::vector<PlacedRoute> placed(const Port& port, const ServedRoutes& served, const RoutesByName& by_name,
                                const std::string& hostname) {
  struct Candidate {
    /// The name for which the route is served, and its own hostname that this was made of.
    std::string_view hostname, own;
    const EnvoyRoute* route;
    PlacedRoute placed;
  };
  const auto covering = by_name.covering(port.owner_of(hostname), hostname);
  std::vector<Candidate> candidates;
  for (const auto& [place, pattern] : covering) {
    if (served[place]->routes == nullptr) continue;
    const auto& routes = *served[place]->routes;
    const std::string_view own = served[place]->attachment->own_hostname(pattern);
    for (std::size_t i = 0; i < routes.size(); ++i)
      candidates.push_back({pattern, own, &routes[i], {.served = served[place], .number = i}});
  }
  // Equal candidates stay in their present order, that of age and rules.
  std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
    if (a.hostname != b.hostname) return is_narrower(a.hostname, b.hostname);
    if (const bool is_first = is_narrower(a.own, b.own); is_first || is_narrower(b.own, a.own))
      return is_first;
    return a.route->precedence > b.route->precedence;
  });
  std::vector<PlacedRoute> all;
  all.reserve(candidates.size());
  for (const Candidate& candidate : candidates) all.push_back(candidate.placed);
  return all;
}

json::Object virtual_host(const Port& port, const ServedRoutes& served, const RoutesByName& by_name,
                          const std::string& hostname) {
  json::Array routes;
  for (const auto& [one, number] : placed(port, served, by_name, hostname))
    routes.push_back((*one->routes)[number].route);
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain}, {"domains", json::Array{domain}}, {"routes", std::move(routes)}};
}

/// Returns the routes of a port, or those of one of its listeners.
ServedRoutes routes_of(const Port& port, const Listener* own) {
  ServedRoutes routes;
  for (const ServedRoute& served : port.served) {
    if (own == nullptr || served.attachment->listener == own) routes.push_back(&served);
  }
  return routes;
}

/// Status for requests that belong to another listener. No route can answer with it by itself.
constexpr int misdirected_status = 421;

json::Object misdirected(const std::string& hostname) {
  const std::string domain = hostname.empty() ? "*" : hostname;
  return {{"name", domain},
          {"domains", json::Array{domain}},
          {"routes",
           json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                    {"direct_response", json::Object{{"status", misdirected_status}}}}}}};
}

/// Returns the virtual host that answers probes. The answer has the configuration from the listener's own
/// metadata, since routes are updated apart from it.
json::Object probe_answer() {
  json::Object header{{"key", probe_header}, {"value", "%METADATA(LISTENER:fairway:configuration)%"}};
  return {{"name", probe_host},
          {"domains", json::Array{probe_host}},
          {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                              {"direct_response", json::Object{{"status", 200}}},
                                              {"response_headers_to_add",
                                               json::Array{json::Object{{"header", std::move(header)}}}}}}}};
}

constexpr std::size_t of_all = static_cast<std::size_t>(-1);

}  // namespace

bool is_misdirected(const json::Object& host) {
  const auto routes = k8s::View(host).items("routes");
  return routes.size() == 1 && routes.front().integer("direct_response.status") == misdirected_status;
}

std::vector<PlacedRoute> routes_placed(const Port& port, const Listener* listener, std::string_view host) {
  const std::string hostname(host == "*" ? "" : host);
  // The virtual host of probes has no routes of users.
  if (listener == nullptr && port.gateway->parameters.ready && hostname == probe_host) return {};
  if (listener != nullptr && port.owner_of(hostname) != listener) return {};
  const ServedRoutes routes = routes_of(port, listener);
  const std::set<std::string> asked{hostname};
  const RoutesByName by_name(routes, &asked);
  const bool is_there = by_name.names().contains(hostname) ||
                        std::ranges::find(port.listeners, hostname, [](const Listener* one) {
                          return one->hostname;
                        }) != port.listeners.end();
  return is_there ? placed(port, routes, by_name, hostname) : std::vector<PlacedRoute>{};
}

/// An update of a table to the present routes of a port.
class RouteTable::Update {
 public:
  Update(const Port& port, const Listener* own)
      : port_(port), own_(own), frame_(frame_of(port, own)), routes_(routes_of(port, own)) {}

  /// Applies the update to a table. Returns whether anything has changed.
  bool apply(RouteTable& table) const {
    const bool is_anew = !table.is_made_ || table.frame_ != frame_;
    std::set<std::string> affected;
    if (is_anew) {
      table.hosts_.clear();
      table.routes_.clear();
    }
    record_routes(table, affected);
    if (is_anew) {
      const RoutesByName by_name(routes_, nullptr);
      affected = by_name.names();
      affected.insert(frame_.listeners.begin(), frame_.listeners.end());
      for (const std::string& hostname : affected) put(by_name, hostname, table);
    } else if (affected.empty()) {
      return false;
    } else {
      // Hostnames that a changed wildcard covers have its routes, too.
      std::set<std::string> covered;
      for (const std::string& pattern : affected) {
        if (!pattern.empty() && !pattern.starts_with('*')) continue;
        for (const auto& [hostname, host] : table.hosts_) {
          if (covers(pattern, hostname)) covered.insert(hostname);
        }
      }
      affected.merge(covered);
      const RoutesByName by_name(routes_, &affected);
      for (const std::string& hostname : affected) put(by_name, hostname, table);
    }
    table.frame_ = frame_;
    table.is_made_ = true;
    return true;
  }

 private:
  static Frame frame_of(const Port& port, const Listener* own) {
    Frame frame{
        .listeners = {}, .own = of_all, .is_probed = own == nullptr && port.gateway->parameters.ready};
    for (const Listener* listener : port.listeners) {
      if (listener == own) frame.own = frame.listeners.size();
      frame.listeners.push_back(listener->hostname);
    }
    return frame;
  }

  std::size_t place_of(const Listener* listener) const {
    return static_cast<std::size_t>(std::ranges::find(port_.listeners, listener) - port_.listeners.begin());
  }
  bool is_same(const Route& before, const ServedRoute& now) const {
    return before.routes == now.routes && before.hostnames == now.attachment->hostnames &&
           before.narrowed == now.attachment->narrowed &&
           before.listener == place_of(now.attachment->listener);
  }
  Route kept(const ServedRoute& one) const {
    return {place_of(one.attachment->listener), one.attachment->hostnames, one.attachment->narrowed,
            one.routes};
  }

  /// Records these routes in the table, and adds the hostnames of those that have changed to `affected`. The
  /// others are in the same order as before.
  void record_routes(RouteTable& table, std::set<std::string>& affected) const {
    std::vector<Route>& before = table.routes_;
    const auto record = [&](const std::vector<std::string>& names) {
      affected.insert(names.begin(), names.end());
    };
    if (before.size() == routes_.size()) {
      for (std::size_t i = 0; i < routes_.size(); ++i) {
        if (is_same(before[i], *routes_[i])) continue;
        record(before[i].hostnames);
        record(routes_[i]->attachment->hostnames);
        before[i] = kept(*routes_[i]);
      }
      return;
    }
    const std::size_t least = std::min(before.size(), routes_.size());
    std::size_t head = 0, tail = 0;
    while (head < least && is_same(before[head], *routes_[head])) ++head;
    while (tail < least - head &&
           is_same(before[before.size() - 1 - tail], *routes_[routes_.size() - 1 - tail]))
      ++tail;
    const auto first = before.begin() + static_cast<std::ptrdiff_t>(head);
    const auto last = before.end() - static_cast<std::ptrdiff_t>(tail);
    for (auto at = first; at != last; ++at) record(at->hostnames);
    std::vector<Route> between;
    for (std::size_t i = head; i < routes_.size() - tail; ++i) {
      record(routes_[i]->attachment->hostnames);
      between.push_back(kept(*routes_[i]));
    }
    const auto place = before.erase(first, last);
    before.insert(place, std::make_move_iterator(between.begin()), std::make_move_iterator(between.end()));
  }

  /// Makes the virtual host of a hostname, or removes it.
  void put(const RoutesByName& by_name, const std::string& hostname, RouteTable& table) const {
    const bool is_there = by_name.names().contains(hostname) ||
                          std::ranges::find(frame_.listeners, hostname) != frame_.listeners.end();
    // A route with the name of the probes would answer them, well or ill, for all others of the port.
    if (!is_there || (frame_.is_probed && hostname == probe_host)) {
      table.hosts_.erase(hostname);
      return;
    }
    const bool is_ours = own_ == nullptr || port_.owner_of(hostname) == own_;
    table.hosts_.insert_or_assign(
        hostname, std::make_shared<const json::Object>(
                      is_ours ? virtual_host(port_, routes_, by_name, hostname) : misdirected(hostname)));
  }

  const Port& port_;
  const Listener* const own_;
  const Frame frame_;
  const ServedRoutes routes_;
};

const xds::Resource& RouteTable::made(const std::string& name, const Port& port, const Listener* own) {
  is_used = true;
  if (!Update(port, own).apply(*this)) return resource_;
  std::vector<xds::VirtualHost> hosts;
  hosts.reserve(hosts_.size() + 1);
  for (const auto& [hostname, host] : hosts_) hosts.push_back(host);
  if (frame_.is_probed) hosts.push_back(std::make_shared<const json::Object>(probe_answer()));
  resource_ = xds::Resource({{"name", name}, {"ignore_port_in_host_matching", true}}, std::move(hosts));
  return resource_;
}

const xds::Resource& RouteTable::of_port(const std::string& name, const Port& port) {
  return made(name, port, nullptr);
}

const xds::Resource& RouteTable::of_listener(const std::string& name, const Port& port,
                                             const Listener& listener) {
  return made(name, port, &listener);
}

}  // namespace fairway::gateway
