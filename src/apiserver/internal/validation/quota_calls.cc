// SPDX-License-Identifier: Apache-2.0

// ResourceQuotas.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"
#include "apiserver/internal/validation/resource_names.h"

namespace fairway::apiserver::validation {
namespace {

bool has(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void check_quota_amounts(const Scope& spec) {
  const Path path = spec.path().child("hard");
  for (const auto& entry : spec.object("hard")) {
    const std::string_view name = entry.key();
    const Path key = path.key(name);
    const Scope at = spec.other(spec.json(), key);
    const Quantity quantity = Quantity::of(entry.value());
    const json::Value shown(quantity_text(entry.value()));
    at.faults(".", name, resource_faults(name));
    if (name.find('/') == std::string_view::npos && !is_quota_resource(name))
      at.invalid(".", json::Value(name), "must be a standard resource for quota");
    if (quantity.is_negative()) at.invalid(".", shown, "must be greater than or equal to 0");
    if (is_counted(name) && !quantity.is_whole()) at.invalid(".", shown, "must be an integer");
  }
}

bool is_known_scope(std::string_view scope) {
  constexpr std::array<std::string_view, 7> known{
      "Terminating",           "NotTerminating",           "BestEffort", "NotBestEffort", "PriorityClass",
      "VolumeAttributesClass", "CrossNamespacePodAffinity"};
  return has(known, scope);
}

/// Returns whether a resource is measured for the objects of a known scope.
bool is_in_scope(std::string_view scope, std::string_view resource) {
  constexpr std::array<std::string_view, 6> compute{"cpu",           "memory",       "limits.cpu",
                                                    "limits.memory", "requests.cpu", "requests.memory"};
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass")
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  return resource == "pods" || has(compute, resource);
}

/// Returns whether a quota limits a resource that is not measured in a scope.
bool has_resource_out_of(const Scope& spec, std::string_view scope) {
  return is_known_scope(scope) && std::ranges::any_of(spec.object("hard"), [&](const auto& entry) {
           return is_quota_resource(entry.key()) && !is_in_scope(scope, entry.key());
         });
}

bool are_in_conflict(const std::set<std::string_view>& scopes) {
  return (scopes.contains("BestEffort") && scopes.contains("NotBestEffort")) ||
         (scopes.contains("Terminating") && scopes.contains("NotTerminating"));
}

/// Returns the scopes of a quota, each once: it may repeat one.
std::set<std::string_view> scopes_of(const k8s::View& spec) {
  const auto scopes = spec.texts("scopes");
  return {scopes.begin(), scopes.end()};
}

void check_quota_scopes(const Scope& spec) {
  const std::set<std::string_view> scopes = scopes_of(k8s::View(spec.json()));
  const json::Value all = spec.value("scopes");
  // Each of these errors shows all scopes, and is reported once: a request can have very many.
  if (!std::ranges::all_of(scopes, is_known_scope)) spec.invalid("scopes", all, "unsupported scope");
  if (std::ranges::any_of(scopes, [&](std::string_view scope) { return has_resource_out_of(spec, scope); }))
    spec.invalid("scopes", all, "unsupported scope applied to resource");
  if (are_in_conflict(scopes)) spec.invalid("scopes", all, "conflicting scopes");
  const json::Object* old = spec.facts().old_object;
  if (old != nullptr && scopes_of(k8s::View(*old).at("spec")) != scopes)
    spec.invalid("scopes", all, "field is immutable");
}

/// Checks the operator and the values of a requirement. Its errors are those of the list that it is in.
void check_scope_operator(const Scope& selector, const Scope& requirement) {
  const std::string_view scope = requirement.text("scopeName"), op = requirement.text("operator");
  const bool has_values = !requirement.list("values").empty();
  constexpr std::string_view list = "matchExpressions";
  const Path path = selector.path().child(list);
  const Scope at = selector.other(selector.json(), path);
  const bool only_exists =
      is_known_scope(scope) && scope != "PriorityClass" && scope != "VolumeAttributesClass";
  if (only_exists && op != "Exists") {
    at.invalid("operator", json::Value(op),
               "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
               "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
               "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
  }
  if (op == "In" || op == "NotIn") {
    if (!has_values)
      at.required("values",
                  "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (has_values)
      at.invalid("values", requirement.value("values"),
                 "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
  } else {
    at.invalid("operator", json::Value(op), "not a valid selector operator");
  }
}

void check_quota_selector(const Scope& spec) {
  const Scope selector = spec.child("scopeSelector");
  std::set<std::string_view> scopes;
  selector.each("matchExpressions", [&](const Scope& requirement, std::size_t) {
    const std::string_view scope = requirement.text("scopeName");
    if (scopes.insert(scope).second) {
      if (!is_known_scope(scope))
        selector.invalid("matchExpressions.scopeName", json::Value(scope), "unsupported scope");
      if (has_resource_out_of(spec, scope)) {
        selector.invalid("matchExpressions", spec.value("scopeSelector"),
                         "unsupported scope applied to resource");
      }
    }
    check_scope_operator(selector, requirement);
  });
  if (are_in_conflict(scopes))
    selector.invalid("matchExpressions", spec.value("scopes"), "conflicting scopes");
}

constexpr std::array calls{
    NamedCall{"quota_amounts", &check_quota_amounts},
    NamedCall{"quota_scopes", &check_quota_scopes},
    NamedCall{"quota_selector", &check_quota_selector},
};

}  // namespace

std::span<const NamedCall> quota_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
