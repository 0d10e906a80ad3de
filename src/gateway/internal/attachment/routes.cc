// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/routes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/model/problems.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/hostname_index.h"
#include "gateway/internal/objects/references.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Records the rules that cannot be served.
void read_rules(RouteKind kind, const Dynamic& object, RouteFacts& facts) {
  const auto rules = object.items("spec.rules");
  for (auto& problem : rule_problems(kind, rules)) {
    if (problem) facts.dropped.push_back(std::move(problem->error));
  }
  if (!facts.dropped.empty() && facts.dropped.size() == rules.size())
    facts.invalid = ConditionError{facts.dropped.front().reason, first_of(facts.dropped)};
  if (auto problem = hostnames_problem(facts.hostnames)) facts.invalid = std::move(problem);
}

void resolve_backends(const Objects& objects, RouteKind kind, const Dynamic& object, RouteFacts& facts) {
  std::vector<ConditionError> problems;
  std::size_t backends = 0, absent = 0;
  const auto rules = object.items("spec.rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string prefix = rule_name(rules[i], i) + ": ";
    for (const ObjectRef& ref : backends_of(rules[i])) {
      // A backend that gets no connections is no alternative to one that is missing.
      const bool counts = i == 0 && View(ref.json()).integer("weight", 1) > 0;
      if (counts) ++backends;
      auto problem = backend_problem(objects, kind, object.namespace_name(), ref);
      if (!problem) continue;
      if (counts && (problem->reason == "BackendNotFound" || problem->reason == "InvalidKind")) ++absent;
      problems.push_back({problem->reason, prefix + problem->message});
    }
    for (const ObjectRef& ref : extensions_of(rules[i])) {
      problems.push_back({"InvalidKind", prefix + "no filters of the kind " + printable(ref.kind("")) +
                                             " of the group \"" + printable(ref.group()) +
                                             "\" are supported"});
    }
  }
  if (!problems.empty()) facts.unresolved = ConditionError{problems.front().reason, first_of(problems)};
  // TCP and UDP have no way to say that something is wrong behind a port.
  const bool is_plain = kind == RouteKind::tcp || kind == RouteKind::udp;
  if (is_plain && absent == backends && !facts.invalid) {
    facts.invalid = ConditionError{
        "BackendNotFound", backends == 0 ? "it has no backends that get connections" : first_of(problems)};
  }
}

bool is_selected(const Listener& listener, const ParentState& parent) {
  return listener.owner == parent.owner &&
         (parent.ref.section().empty() || parent.ref.section() == listener.spec.name()) &&
         (!parent.ref.port() || *parent.ref.port() == listener.spec.port());
}

bool is_allowed(const Objects& objects, const Listener& listener, const RouteState& route) {
  return std::ranges::find(listener.kinds, route.kind) != listener.kinds.end() &&
         objects.allows_namespace(listener.spec.at("allowedRoutes.namespaces"), "Same",
                                  listener.owner->namespace_name(), route.object->namespace_name());
}

/// Returns what a parentRef selects listeners by; "": it selects all.
std::string wanted(const ParentRef& ref) {
  const std::string section = ref.section().empty() ? "" : "sectionName " + printable(ref.section());
  const std::string port = ref.port() ? "port " + std::to_string(*ref.port()) : "";
  return section + (section.empty() || port.empty() ? "" : " and the ") + port;
}

void attach(const Objects& objects, const RouteState& route, ParentState& parent) {
  bool is_there = false, is_permitted = false;
  std::optional<std::string> conflict;
  for (Listener& listener : parent.gateway->listeners) {
    if (!is_selected(listener, parent)) continue;
    // Of listeners in conflict none is the Gateway's: there is nothing to attach to.
    if (listener.conflict) {
      conflict = listener.describe() + " is " + listener.conflict->message;
      continue;
    }
    is_there = true;
    if (!is_allowed(objects, listener, route)) continue;
    is_permitted = true;
    auto hostnames = served_hostnames(listener.hostname, route.facts->hostnames);
    if (hostnames.empty()) continue;
    parent.attachments.push_back({.listener = &listener,
                                  .hostnames = std::move(hostnames),
                                  .narrowed = narrowed_hostnames(listener.hostname, route.facts->hostnames)});
  }
  if (!parent.attachments.empty()) return;
  const std::string of = " of " + describe(*parent.owner);
  if (is_permitted) {
    parent.refused = ConditionError{"NoMatchingListenerHostname",
                                    "no listener" + of + " has hostnames in common with the route"};
  } else if (is_there) {
    parent.refused = ConditionError{"NotAllowedByListeners",
                                    "no listener" + of + " allows routes of the kind " +
                                        std::string(to_string(route.kind)) + " and the namespace " +
                                        std::string(route.object->namespace_name())};
  } else if (conflict) {
    parent.refused = ConditionError{"NoMatchingParent", *conflict};
  } else {
    const std::string selected = wanted(parent.ref);
    parent.refused =
        ConditionError{"NoMatchingParent",
                       selected.empty() ? "the Gateway has no listeners" + of
                                        : "no listener" + of + " has the " + selected + " of the parentRef"};
  }
}

/// Returns the identity of a parentRef within a route's status.
std::tuple<std::string, std::string, std::string, std::string, std::string, std::int64_t> identity(
    const ParentRef& ref, std::string_view local) {
  return {std::string(ref.group()), std::string(ref.kind()),    std::string(ref.namespace_name(local)),
          std::string(ref.name()),  std::string(ref.section()), ref.port().value_or(0)};
}

void find_parents(const std::map<k8s::Key, GatewayState*>& by_key,
                  const std::map<k8s::Key, GatewayState*>& by_set, const Objects& objects,
                  RouteState& route) {
  const std::string_view local = route.object->namespace_name();
  std::set<decltype(identity(std::declval<ParentRef>(), ""))> seen;
  for (const ParentRef& ref : route.object->items<ParentRef>("spec.parentRefs")) {
    if (ref.group() != gateway_group || !seen.insert(identity(ref, local)).second) continue;
    const bool is_gateway = ref.kind() == "Gateway";
    if (!is_gateway && ref.kind() != "ListenerSet") continue;
    const k8s::Key key{std::string(ref.namespace_name(local)), std::string(ref.name())};
    const auto& states = is_gateway ? by_key : by_set;
    const auto found = states.find(key);
    if (found == states.end()) continue;
    const Dynamic* owner = objects.find(ref.kind(), key.namespace_name, key.name);
    if (owner != nullptr) route.parents.push_back({.ref = ref, .gateway = found->second, .owner = owner});
  }
}

/// Detaches HTTPRoutes and GRPCRoutes that share a hostname on a listener with an older route of the other
/// kind.
void settle_kinds(std::deque<RouteState>& routes) {
  std::vector<RouteState*> by_age;
  std::set<RouteKind> kinds;
  for (RouteState& route : routes) {
    if (!is_http(route.kind) || route.facts->invalid) continue;
    by_age.push_back(&route);
    kinds.insert(route.kind);
  }
  // Of one kind alone none is in another's way.
  if (kinds.size() < 2) return;
  std::ranges::stable_sort(by_age, [](const auto* a, const auto* b) { return is_older(a->age, b->age); });
  // The hostnames that a listener serves for routes of a kind. It does not matter which route has one.
  std::map<std::pair<const Listener*, RouteKind>, HostnameIndex> taken;
  for (const RouteState* route : by_age) {
    for (const RouteKind kind : {RouteKind::http, RouteKind::grpc}) {
      for (const ParentState& parent : route->parents) {
        for (const Attachment& attachment : parent.attachments) {
          for (const std::string& name : attachment.hostnames)
            taken[{attachment.listener, kind}].expect(name);
        }
      }
    }
  }
  for (RouteState* route : by_age) {
    const RouteKind other = route->kind == RouteKind::http ? RouteKind::grpc : RouteKind::http;
    for (ParentState& parent : route->parents) {
      const std::size_t before = parent.attachments.size();
      std::erase_if(parent.attachments, [&](const Attachment& attachment) {
        const HostnameIndex& there = taken[{attachment.listener, other}];
        return std::ranges::any_of(attachment.hostnames,
                                   [&](const std::string& name) { return there.first(name).has_value(); });
      });
      if (before > 0 && parent.attachments.empty()) {
        parent.refused = ConditionError{"NotAllowedByListeners", "an older " + std::string(to_string(other)) +
                                                                     " has its hostnames on the listener"};
      }
    }
    for (const ParentState& parent : route->parents) {
      for (const Attachment& attachment : parent.attachments) {
        for (const std::string& name : attachment.hostnames)
          taken[{attachment.listener, route->kind}].add(name, 0);
      }
    }
  }
}

void count_routes(const std::deque<RouteState>& routes) {
  for (const RouteState& route : routes) {
    // Most have one parent, whose listeners differ.
    if (route.parents.size() == 1) {
      if (!route.is_attached_by(route.parents.front())) continue;
      for (const Attachment& attachment : route.parents.front().attachments) ++attachment.listener->attached;
      continue;
    }
    std::set<Listener*> listeners;
    for (const ParentState& parent : route.parents) {
      if (!route.is_attached_by(parent)) continue;
      for (const Attachment& attachment : parent.attachments) listeners.insert(attachment.listener);
    }
    for (Listener* listener : listeners) ++listener->attached;
  }
}

std::shared_ptr<const RouteFacts> find_facts(const Objects& objects, RouteKind kind, const Dynamic& object) {
  auto facts = std::make_shared<RouteFacts>();
  if (is_http(kind) || kind == RouteKind::tls) {
    for (const std::string_view hostname : object.texts("spec.hostnames"))
      facts->hostnames.emplace_back(hostname);
  }
  read_rules(kind, object, *facts);
  resolve_backends(objects, kind, object, *facts);
  return facts;
}

}  // namespace

std::shared_ptr<const RouteFacts> RouteFactsCache::facts(const Objects& objects, RouteKind kind,
                                                         const std::shared_ptr<const Dynamic>& route) {
  Cached& cached = cache_[route.get()];
  const std::uint64_t services = objects.revision("", "Service");
  const std::uint64_t grants = objects.revision(gateway_group, "ReferenceGrant");
  if (cached.route == nullptr || cached.services != services || cached.grants != grants) {
    cached = {
        .route = route, .services = services, .grants = grants, .facts = find_facts(objects, kind, *route)};
  }
  cached.is_used = true;
  return cached.facts;
}

void RouteFactsCache::forget_others() {
  std::erase_if(cache_, [](const auto& entry) { return !entry.second.is_used; });
  for (auto& [object, cached] : cache_) cached.is_used = false;
}

namespace {

/// The Gateways by the names that a parentRef may have: their own, and those of their ListenerSets.
struct Parents {
  explicit Parents(GatewayStates& gateways) {
    for (GatewayState& state : gateways.gateways) {
      by_key.emplace(state.object->key(), &state);
      for (const ListenerSetState& set : state.sets) by_set.emplace(set.object->key(), &state);
    }
  }
  /// Attaches a route; std::nullopt: none of the parents that it names exists.
  std::optional<RouteState> attached(const Objects& objects, RouteKind kind,
                                     const std::shared_ptr<const Dynamic>& object,
                                     RouteFactsCache& cache) const {
    RouteState route{.kind = kind,
                     .held = object,
                     .object = object.get(),
                     .age = age_of(*object),
                     .facts = {},
                     .parents = {}};
    find_parents(by_key, by_set, objects, route);
    if (route.parents.empty()) return std::nullopt;
    route.facts = cache.facts(objects, kind, object);
    for (ParentState& parent : route.parents) attach(objects, route, parent);
    route.revision = cache.next_revision();
    return route;
  }

  std::map<k8s::Key, GatewayState*> by_key, by_set;
};

/// Returns whether there are both HTTPRoutes and GRPCRoutes, which are the first kinds.
bool are_mixed(const std::deque<RouteState>& routes) {
  static_assert(route_kinds[0] == RouteKind::http && route_kinds[1] == RouteKind::grpc);
  if (routes.empty() || routes.front().kind != RouteKind::http) return false;
  const auto next = std::ranges::upper_bound(routes, RouteKind::http, {}, &RouteState::kind);
  return next != routes.end() && next->kind == RouteKind::grpc;
}

}  // namespace

std::deque<RouteState> attach_routes(const Objects& objects, GatewayStates& gateways,
                                     RouteFactsCache& cache) {
  const Parents parents(gateways);
  std::deque<RouteState> routes;
  for (const RouteKind kind : route_kinds) {
    objects.each(to_string(kind), [&](const std::shared_ptr<const Dynamic>& object) {
      if (auto route = parents.attached(objects, kind, object, cache)) routes.push_back(*std::move(route));
    });
  }
  cache.forget_others();
  settle_kinds(routes);
  count_routes(routes);
  return routes;
}

bool attach_changed(const Objects& objects, GatewayStates& gateways, RouteFactsCache& cache,
                    std::deque<RouteState>& routes) {
  // A hostname that one kind of routes has taken from another may be free by now.
  if (are_mixed(routes)) return false;
  const Parents parents(gateways);
  auto last = routes.begin();
  std::deque<RouteState> next;
  for (const RouteKind kind : route_kinds) {
    objects.each(to_string(kind), [&](const std::shared_ptr<const Dynamic>& object) {
      const auto is_same = [&] { return last != routes.end() && last->held == object; };
      if (!is_same()) {
        const std::pair now(kind, object->key());
        const auto name = [](const RouteState& route) { return std::pair(route.kind, route.object->key()); };
        while (last != routes.end() && name(*last) < now) cache.forget((last++)->object);
        // Another has come for it.
        if (last != routes.end() && !is_same() && name(*last) == now) cache.forget((last++)->object);
      }
      if (is_same()) {
        next.push_back(std::move(*last++));
      } else if (auto route = parents.attached(objects, kind, object, cache)) {
        next.push_back(*std::move(route));
      }
    });
  }
  for (; last != routes.end(); ++last) cache.forget(last->object);
  routes = std::move(next);
  if (are_mixed(routes)) return false;
  for (GatewayState& gateway : gateways.gateways) {
    for (Listener& listener : gateway.listeners) listener.attached = 0;
  }
  count_routes(routes);
  return true;
}

std::optional<std::string> why_not_attached(const Objects& objects, const RouteState& route,
                                            const ParentState& parent, const Listener& listener) {
  if (listener.owner != parent.owner) return "it is of " + describe(*listener.owner);
  if (!parent.ref.section().empty() && parent.ref.section() != listener.spec.name())
    return "the parentRef has the sectionName " + printable(parent.ref.section());
  if (parent.ref.port() && *parent.ref.port() != listener.spec.port())
    return "the parentRef has the port " + std::to_string(*parent.ref.port());
  if (listener.conflict) return "it is " + listener.conflict->message;
  if (std::ranges::find(listener.kinds, route.kind) == listener.kinds.end())
    return "it allows no routes of the kind " + std::string(to_string(route.kind));
  if (!is_allowed(objects, listener, route))
    return "it allows no routes of the namespace " + printable(route.object->namespace_name());
  if (served_hostnames(listener.hostname, route.facts->hostnames).empty())
    return "its hostname " + printable(listener.hostname) + " has no name in common with the route's";
  const bool is_attached = std::ranges::any_of(
      parent.attachments, [&](const Attachment& one) { return one.listener == &listener; });
  if (!is_attached) return "a route of another kind that is older has its hostnames";
  if (listener.invalid) return "it is not accepted: " + listener.invalid->message;
  return std::nullopt;
}

}  // namespace fairway::gateway
