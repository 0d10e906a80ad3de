// SPDX-License-Identifier: Apache-2.0

// Where Pods may run: affinities, tolerations, and how they are spread.
#include <array>
#include <map>
#include <set>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

void check_node_requirement(const Scope& requirement) {
  const std::string_view op = requirement.text("operator"), key = requirement.text("key");
  const std::size_t count = requirement.list("values").size();
  if (op == "In" || op == "NotIn") {
    if (count == 0) requirement.required("values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (count > 0)
      requirement.forbidden("values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (count != 1)
      requirement.required("values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    requirement.invalid("operator", json::Value(op), "not a valid selector operator");
  }
  requirement.faults("key", key, k8s::check_qualified_name(key));
}

void check_node_field_requirement(const Scope& requirement) {
  const std::string_view op = requirement.text("operator"), key = requirement.text("key");
  if (op != "In" && op != "NotIn") {
    requirement.invalid("operator", json::Value(op), "not a valid selector operator");
  } else if (requirement.list("values").size() != 1) {
    requirement.required("values",
                         "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") {
    requirement.invalid("key", json::Value(key), "not a valid field selector key");
    return;
  }
  const Path values = requirement.path().child("values");
  std::size_t index = 0;
  for (const std::string_view value : requirement.texts("values"))
    add_faults(requirement.errors(), values.item(index++), value, k8s::check_dns_subdomain(value));
}

void check_affinity_namespaces(const Scope& term) {
  for (const std::string_view name : term.texts("namespaces"))
    term.faults("namespace", name, k8s::check_dns_label(name));
}

/// Checks the names of labels in a list, and that there is a selector to which they are added.
void check_label_names(const Scope& term, std::string_view list) {
  const auto names = term.texts(list);
  if (names.empty()) return;
  if (!term.has("labelSelector")) {
    term.forbidden(list, "must not be specified when labelSelector is not set");
    return;
  }
  const Path path = term.path().child(list);
  std::size_t index = 0;
  for (const std::string_view name : names)
    add_faults(term.errors(), path.item(index++), name, k8s::check_qualified_name(name));
}

/// Checks keys that are added to a selector. They are in its expressions already.
void check_label_keys(const Scope& term) {
  check_label_names(term, "matchLabelKeys");
  check_label_names(term, "mismatchLabelKeys");
  const auto matching = term.texts("matchLabelKeys"), others = term.texts("mismatchLabelKeys");
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < matching.size(); ++i) indices[matching[i]] = i;
  std::set<std::string_view> selected;
  const Scope selector = term.child("labelSelector");
  for (const auto& [key, value] : selector.map("matchLabels")) selected.insert(key);
  selector.each("matchExpressions", [&](const Scope& expression, std::size_t) {
    const std::string_view key = expression.text("key");
    const auto found = indices.find(key);
    if (found != indices.end() && selected.contains(key)) {
      term.other(term.json(), term.path().item(found->second))
          .invalid(".", json::Value(key), "exists in both matchLabelKeys and labelSelector");
    }
    selected.insert(key);
  });
  const std::set<std::string_view> other_keys(others.begin(), others.end());
  const Path list = term.path().child("matchLabelKeys");
  for (std::size_t i = 0; i < matching.size(); ++i) {
    if (!other_keys.contains(matching[i])) continue;
    term.other(term.json(), list.item(i))
        .invalid(".", json::Value(matching[i]), "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void check_spread_constraints(const Scope& spec) {
  spec.each("topologySpreadConstraints",
            [](const Scope& constraint, std::size_t) { check_type("TopologySpreadConstraint", constraint); });
}

/// Checks that no constraint that follows is about the same.
void check_repeated_constraint(const Scope& constraint) {
  const std::string_view key = constraint.text("topologyKey"), action = constraint.text("whenUnsatisfiable");
  const auto& last = constraint.facts().last_constraints;
  const auto found = last.find({key, action});
  if (found == last.end() || found->second == &constraint.json()) return;
  constraint.duplicate("{topologyKey, whenUnsatisfiable}",
                       json::Value("{" + std::string(key) + ", " + std::string(action) + "}"));
}

void check_min_domains(const Scope& constraint) {
  const std::string action(constraint.text("whenUnsatisfiable"));
  if (constraint.has("minDomains") && action != "DoNotSchedule")
    constraint.invalid("minDomains", constraint.value("minDomains"),
                       "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action);
}

void check_toleration(const Scope& toleration) {
  const std::string_view op = toleration.text("operator"), value = toleration.text("value"),
                         effect = toleration.text("effect");
  if (toleration.text("key").empty() && op != "Exists") {
    toleration.invalid(
        "operator", json::Value(op),
        "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
  }
  if (toleration.has("tolerationSeconds") && effect != "NoExecute")
    toleration.invalid("effect", json::Value(effect),
                       "effect must be 'NoExecute' when `tolerationSeconds` is set");
  if (op.empty() || op == "Equal") {
    if (const k8s::Faults faults = k8s::check_label_value(value); !faults.empty())
      toleration.invalid("operator", json::Value(value), join(faults, ";"));
  } else if (op == "Exists") {
    if (!value.empty())
      toleration.invalid("operator", json::Value(value), "value must be empty when `operator` is 'Exists'");
  } else if (op == "Lt" || op == "Gt") {
    toleration.not_supported("operator", json::Value(op), {"Equal", "Exists", "Lt", "Gt"});
  } else {
    toleration.not_supported("operator", json::Value(op), {"Equal", "Exists"});
  }
}

void check_scheduling_gates(const Scope& spec) {
  std::set<std::string_view> seen;
  spec.each("schedulingGates", [&](const Scope& gate, std::size_t) {
    const std::string_view name = gate.text("name");
    gate.faults(".", name, k8s::check_qualified_name(name));
    if (!seen.insert(name).second) gate.duplicate(".", json::Value(name));
  });
}

constexpr std::array calls{
    NamedCall{"node_requirement", &check_node_requirement},
    NamedCall{"node_field_requirement", &check_node_field_requirement},
    NamedCall{"affinity_namespaces", &check_affinity_namespaces},
    NamedCall{"label_keys", &check_label_keys},
    NamedCall{"spread_constraints", &check_spread_constraints},
    NamedCall{"repeated_constraint", &check_repeated_constraint},
    NamedCall{"min_domains", &check_min_domains},
    NamedCall{"toleration", &check_toleration},
    NamedCall{"scheduling_gates", &check_scheduling_gates},
};

}  // namespace

std::span<const NamedCall> scheduling_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
