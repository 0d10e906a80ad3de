#include "gateway/internal/attachment/policies.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/text.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/references.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

/// Namespace, Service, and name of the port or nothing.
using Target = std::tuple<std::string, std::string, std::string>;

/// Gateways in the order of their names.
using Gateways = std::map<k8s::Key, const Dynamic*>;

/// Whether connections to a route's backends are made through a parent, and not only passed on: what is
/// encrypted between clients and backends is nobody else's.
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

std::vector<Target> targets_of(const Dynamic& policy) {
  std::vector<Target> targets;
  for (const View& ref : policy.items("spec.targetRefs")) {
    if (ref.text("group").empty() && ref.text("kind") == "Service")
      targets.emplace_back(policy.namespace_name(), ref.text("name"), ref.text("sectionName"));
  }
  return targets;
}

bool exists(const Objects& objects, const Target& target) {
  const auto& [namespace_name, name, section] = target;
  const Dynamic* found = objects.find("", "Service", namespace_name, name);
  if (found == nullptr) return false;
  const k8s::Service service(found->json());
  const auto ports = service.ports();
  return section.empty() ||
         std::ranges::any_of(ports, [&](const auto& port) { return port.name() == section; });
}

/// Verdicts on the references to CA certificates; what is returned is why none of them can be used.
std::optional<Problem> resolve_authorities(const Objects& objects, const Dynamic& policy,
                                           Verdicts& verdicts) {
  std::optional<Problem> first;
  std::size_t broken = 0;
  const auto refs = local_references(policy);
  for (const json::Object& ref : refs) {
    auto problem =
        ca_problem(objects, "BackendTLSPolicy", policy.namespace_name(), ObjectRef(ref), "InvalidKind");
    if (!problem) continue;
    ++broken;
    if (!first) first = std::move(problem);
  }
  if (first) {
    verdicts.set_false("ResolvedRefs", first->reason, first->message);
  } else {
    verdicts.set_true("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  }
  if (first && broken == refs.size()) return Problem{"NoValidCACertificate", first->message};
  return std::nullopt;
}

std::optional<Problem> validation_problem(const Dynamic& policy) {
  const View validation = policy.at("spec.validation");
  const auto well_known = validation.find_text("wellKnownCACertificates");
  const bool has_refs = !validation.items("caCertificateRefs").empty();
  if (!is_hostname(validation.text("hostname"), false))
    return Problem{"Invalid", "\"" + printable(validation.text("hostname")) + "\" is no hostname"};
  if (well_known && !well_known->empty() && *well_known != "System")
    return Problem{"Invalid", "wellKnownCACertificates: \"" + printable(*well_known) +
                                  "\" is not known; there is System"};
  if (has_refs == (well_known && !well_known->empty()))
    return Problem{"Invalid", "it must have either caCertificateRefs or wellKnownCACertificates"};
  return std::nullopt;
}

Verdicts policy_verdicts(const Objects& objects, const Dynamic& policy, bool is_conflicted) {
  Verdicts verdicts(Level::policy);
  const auto unusable = resolve_authorities(objects, policy, verdicts);
  const auto targets = targets_of(policy);
  if (is_conflicted) {
    verdicts.set_false("Accepted", "Conflicted", "an older policy has the same target");
  } else if (std::ranges::none_of(targets, [&](const Target& target) { return exists(objects, target); })) {
    verdicts.set_false("Accepted", "TargetNotFound", "no target exists");
  } else if (unusable) {
    verdicts.set_false("Accepted", unusable->reason, unusable->message);
  } else if (const auto invalid = validation_problem(policy)) {
    verdicts.set_false("Accepted", invalid->reason, invalid->message);
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

std::vector<json::Object> local_references(const Dynamic& policy) {
  std::vector<json::Object> refs;
  for (const View& ref : policy.items("spec.validation.caCertificateRefs")) {
    refs.push_back(ref.json());
    refs.back().erase("namespace");
  }
  return refs;
}

BackendPolicy policy_for(const Objects& objects, std::string_view namespace_name, std::string_view service,
                         std::string_view port_name) {
  const Dynamic* of_service = nullptr;
  const Dynamic* of_port = nullptr;
  for (const Dynamic* policy : objects.by_age("BackendTLSPolicy")) {
    if (policy->namespace_name() != namespace_name) continue;
    for (const auto& [in, name, section] : targets_of(*policy)) {
      if (name != service) continue;
      if (section.empty() && of_service == nullptr) of_service = policy;
      if (!section.empty() && section == port_name && of_port == nullptr) of_port = policy;
    }
  }
  const Dynamic* policy = of_port != nullptr ? of_port : of_service;
  if (policy == nullptr) return {};
  // Not its being in conflict: that may be about another of its targets.
  return {.policy = policy, .is_usable = policy_verdicts(objects, *policy, false).is_true("Accepted")};
}

void report_policies(const Objects& objects, const std::deque<RouteState>& routes,
                     std::vector<Report>& reports) {
  const auto policies = objects.by_age("BackendTLSPolicy");
  if (policies.empty()) return;
  const auto by_service = gateways_of_services(routes);
  std::set<Target> taken;
  for (const Dynamic* policy : policies) {
    Gateways ancestors;
    bool is_first = false;
    const auto targets = targets_of(*policy);
    for (const Target& target : targets) {
      if (taken.insert(target).second) is_first = true;
      const k8s::Key service{std::get<0>(target), std::get<1>(target)};
      if (const auto found = by_service.find(service); found != by_service.end())
        ancestors.insert(found->second.begin(), found->second.end());
    }
    std::vector<EntryReport> entries;
    if (!ancestors.empty()) {
      const Verdicts verdicts = policy_verdicts(objects, *policy, !is_first);
      for (const auto& [key, gateway] : ancestors) entries.push_back({ancestor_ref(*gateway), verdicts});
    }
    reports.push_back({.object = policy,
                       .ancestors = std::make_shared<const std::vector<EntryReport>>(std::move(entries))});
  }
}

}  // namespace fairway::gateway
