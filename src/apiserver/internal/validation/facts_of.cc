// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/facts_of.h"

#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {
namespace {

/// Returns whether a selector in an affinity or constraint has a label value that is none.
bool has_bad_label_values(const json::Object& spec) {
  Errors errors;
  const PodFacts facts;
  const Scope scope(spec, Path(), facts, errors);
  if (scope.has("affinity")) check_type("Affinity", scope.child("affinity"));
  scope.each("topologySpreadConstraints",
             [](const Scope& one, std::size_t) { check_type("TopologySpreadConstraint", one); });
  for (const k8s::FieldError& error : errors) {
    if (error.field.find(".values[") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

PodFacts facts_of(const json::Object& spec, bool is_pod, std::string_view name,
                  const json::Object* old_spec) {
  // The names of claims that are made for volumes begin with it: one of megabytes would be repeated in each.
  constexpr std::size_t longest_name = 1024;
  PodFacts facts{
      .is_pod = is_pod, .name = name.size() <= longest_name ? name : std::string_view(), .spec = &spec};
  Errors none;
  const Scope scope(spec, Path(), facts, none);
  facts.grace_seconds = scope.integer("terminationGracePeriodSeconds");
  facts.restart_policy = scope.text("restartPolicy");
  facts.os = scope.child("os").text("name");
  facts.host_network = scope.flag("hostNetwork");
  facts.host_pid = scope.flag("hostPID");
  facts.host_ipc = scope.flag("hostIPC");
  facts.host_users = !scope.has("hostUsers") || scope.flag("hostUsers");
  scope.each("resourceClaims", [&](const Scope& claim, std::size_t) {
    if (!claim.text("name").empty()) facts.claims.insert(claim.text("name"));
  });
  scope.each("topologySpreadConstraints", [&](const Scope& one, std::size_t) {
    facts.last_constraints[{one.text("topologyKey"), one.text("whenUnsatisfiable")}] = &one.json();
  });
  facts.allows_bad_label_values = old_spec != nullptr && has_bad_label_values(*old_spec);
  return facts;
}

}  // namespace fairway::apiserver::validation
