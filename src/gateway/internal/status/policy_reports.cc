// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/policy_reports.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "gateway/internal/attachment/policies.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/objects/api.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Gateways in the order of their names.
using Gateways = std::map<k8s::Key, const Dynamic*>;

/// Returns whether Envoy itself makes the connections to a route's backends through a parent. Encrypted
/// connections between clients and backends are only passed on.
bool makes_connections(const RouteState& route, const ParentState& parent) {
  if (!route.is_accepted_by(parent)) return false;
  return route.kind != RouteKind::tls ||
         std::ranges::any_of(parent.attachments, [](const Attachment& attachment) {
           return attachment.listener->spec.tls_mode() == "Terminate";
         });
}

std::map<k8s::Key, Gateways> gateways_of_services(const std::deque<RouteState>& routes) {
  std::map<k8s::Key, Gateways> by_service;
  for (const RouteState& route : routes) {
    if (route.kind == RouteKind::tcp || route.kind == RouteKind::udp) continue;
    Gateways gateways;
    for (const ParentState& parent : route.parents) {
      if (makes_connections(route, parent))
        gateways.emplace(parent.gateway->object->key(), parent.gateway->object);
    }
    if (gateways.empty()) continue;
    for (const View& rule : route.object->items("spec.rules")) {
      for (const ObjectRef& ref : backends_of(rule)) {
        if (!ref.group().empty() || ref.kind("Service") != "Service") continue;
        const k8s::Key key{std::string(ref.namespace_name(route.object->namespace_name())),
                           std::string(ref.name())};
        by_service[key].insert(gateways.begin(), gateways.end());
      }
    }
  }
  return by_service;
}

Verdicts policy_verdicts(const PolicyFacts& facts, bool is_conflicted) {
  Verdicts verdicts(Level::policy);
  if (facts.unresolved) {
    verdicts.set_false("ResolvedRefs", facts.unresolved->reason, facts.unresolved->message);
  } else {
    verdicts.set_true("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  }
  if (is_conflicted) {
    verdicts.set_false("Accepted", "Conflicted", "an older policy has the same target");
  } else if (facts.refused) {
    verdicts.set_false("Accepted", facts.refused->reason, facts.refused->message);
  } else {
    verdicts.set_true("Accepted", "Accepted", "connections to its targets are made by it");
  }
  return verdicts;
}

json::Object ancestor_ref(const Dynamic& gateway) {
  json::Object ref;
  ref["group"] = gateway_group;
  ref["kind"] = "Gateway";
  ref["namespace"] = gateway.namespace_name();
  ref["name"] = gateway.name();
  return ref;
}

}  // namespace

void report_policies(const Objects& objects, const std::deque<RouteState>& routes,
                     std::vector<Report>& reports) {
  const auto policies = objects.by_age("BackendTLSPolicy");
  if (policies.empty()) return;
  const auto by_service = gateways_of_services(routes);
  std::set<PolicyTarget> taken;
  for (const Dynamic* policy : policies) {
    Gateways ancestors;
    bool is_first = false;
    const auto targets = targets_of(*policy);
    for (const PolicyTarget& target : targets) {
      if (taken.insert(target).second) is_first = true;
      const k8s::Key service{std::get<0>(target), std::get<1>(target)};
      if (const auto found = by_service.find(service); found != by_service.end())
        ancestors.insert(found->second.begin(), found->second.end());
    }
    std::vector<EntryReport> entries;
    if (!ancestors.empty()) {
      const Verdicts verdicts = policy_verdicts(read_policy(objects, *policy), !is_first);
      for (const auto& [key, gateway] : ancestors) entries.push_back({ancestor_ref(*gateway), verdicts});
    }
    reports.push_back({.object = policy,
                       .ancestors = std::make_shared<const std::vector<EntryReport>>(std::move(entries))});
  }
}

}  // namespace fairway::gateway
