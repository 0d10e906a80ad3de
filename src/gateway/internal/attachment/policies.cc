// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/policies.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "gateway/internal/objects/hostname.h"
#include "gateway/internal/objects/references.h"
#include "gateway/internal/objects/values.h"
#include "k8s/kinds/service.h"

namespace fairway::gateway {

namespace {

using k8s::Dynamic;
using k8s::View;

bool exists(const Objects& objects, const PolicyTarget& target) {
  const auto& [namespace_name, name, section] = target;
  const Dynamic* found = objects.find("", "Service", namespace_name, name);
  if (found == nullptr) return false;
  const k8s::Service service(found->json());
  const auto ports = service.ports();
  return section.empty() ||
         std::ranges::any_of(ports, [&](const auto& port) { return port.name() == section; });
}

std::optional<ConditionError> validation_problem(const Dynamic& policy) {
  const View validation = policy.at("spec.validation");
  const auto well_known = validation.find_text("wellKnownCACertificates");
  const bool has_refs = !validation.items("caCertificateRefs").empty();
  if (!is_hostname(validation.text("hostname"), false))
    return ConditionError{"Invalid", "\"" + printable(validation.text("hostname")) + "\" is no hostname"};
  if (well_known && !well_known->empty() && *well_known != "System")
    return ConditionError{"Invalid", "wellKnownCACertificates: \"" + printable(*well_known) +
                                         "\" is not known; there is System"};
  const std::string options = option_names(policy.at("spec.options"));
  if (!options.empty())
    return ConditionError{"Invalid", "options: " + options + " is not known; there are no options"};
  if (has_refs == (well_known && !well_known->empty()))
    return ConditionError{"Invalid", "it must have either caCertificateRefs or wellKnownCACertificates"};
  return std::nullopt;
}

}  // namespace

std::vector<PolicyTarget> targets_of(const Dynamic& policy) {
  std::vector<PolicyTarget> targets;
  for (const View& ref : policy.items("spec.targetRefs")) {
    if (ref.text("group").empty() && ref.text("kind") == "Service")
      targets.emplace_back(policy.namespace_name(), ref.text("name"), ref.text("sectionName"));
  }
  return targets;
}

PolicyFacts read_policy(const Objects& objects, const Dynamic& policy) {
  PolicyFacts facts;
  std::size_t broken = 0;
  const auto refs = local_references(policy);
  for (const json::Object& ref : refs) {
    auto problem =
        ca_problem(objects, "BackendTLSPolicy", policy.namespace_name(), ObjectRef(ref), "InvalidKind");
    if (!problem) continue;
    ++broken;
    if (!facts.unresolved) facts.unresolved = std::move(problem);
  }
  const auto targets = targets_of(policy);
  if (std::ranges::none_of(targets, [&](const PolicyTarget& target) { return exists(objects, target); })) {
    facts.refused = ConditionError{"TargetNotFound", "no target exists"};
  } else if (facts.unresolved && broken == refs.size()) {
    facts.refused = ConditionError{"NoValidCACertificate", facts.unresolved->message};
  } else {
    facts.refused = validation_problem(policy);
  }
  return facts;
}

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
  return {.policy = policy, .is_usable = !read_policy(objects, *policy).refused};
}

}  // namespace fairway::gateway
