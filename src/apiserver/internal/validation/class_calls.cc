// SPDX-License-Identifier: Apache-2.0

// StorageClasses, RuntimeClasses and PodDisruptionBudgets.
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/labels.h"

namespace fairway::apiserver::validation {
namespace {

void check_budget_bounds(const Scope& spec) {
  if (spec.has("minAvailable") && spec.has("maxUnavailable"))
    spec.invalid(".", json::Value(spec.json()), "minAvailable and maxUnavailable cannot be both set");
}

void check_class_parameters(const Scope& object) {
  constexpr std::size_t most_entries = 512, most_bytes = std::size_t{256} << 10;
  const k8s::StringMap parameters = object.map("parameters");
  if (object.object("parameters").size() > most_entries) {
    object.too_long("parameters", most_entries);
    return;
  }
  std::size_t size = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) object.invalid("parameters", json::Value(""), "field can not be empty.");
    size += key.size() + value.size();
  }
  if (size > most_bytes) object.too_long("parameters", most_bytes);
}

using Term = std::map<std::string_view, std::set<std::string_view>>;

/// Checks one term about where volumes may be, and returns it.
Term check_topology(const Scope& topology) {
  Term made;
  topology.each("matchLabelExpressions", [&](const Scope& requirement, std::size_t) {
    const std::string_view key = requirement.text("key");
    const auto values = requirement.texts("values");
    std::set<std::string_view> seen;
    if (values.empty()) requirement.required("values");
    const Path path = requirement.path().child("values");
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!seen.insert(values[i]).second)
        requirement.errors().push_back(
            k8s::FieldError::duplicate(path.item(i).text(), json::Value(values[i])));
    }
    requirement.faults("key", key, k8s::check_qualified_name(key));
    if (made.contains(key)) requirement.duplicate("key", json::Value(key));
    made[key] = std::move(seen);
  });
  return made;
}

void check_allowed_topologies(const Scope& object) {
  // A term without requirements equals what Kubernetes begins its list with.
  std::set<Term> terms{Term()};
  object.each("allowedTopologies", [&](const Scope& topology, std::size_t) {
    if (!terms.insert(check_topology(topology)).second)
      topology.duplicate("matchLabelExpressions", json::Value(""));
  });
}

/// Checks that no toleration of a class is there twice.
void check_repeated_tolerations(const Scope& scheduling) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> seen;
  scheduling.each("tolerations", [&](const Scope& one, std::size_t) {
    if (!seen.emplace(one.text("key"), one.text("operator"), one.text("value"), one.text("effect")).second)
      one.duplicate(".", json::Value(one.json()));
  });
}

void check_preemption_policy(const Scope& object) {
  if (object.has("preemptionPolicy") && object.text("preemptionPolicy").empty())
    object.required("preemptionPolicy");
}

constexpr std::array calls{
    NamedCall{"preemption_policy", &check_preemption_policy},
    NamedCall{"budget_bounds", &check_budget_bounds},
    NamedCall{"class_parameters", &check_class_parameters},
    NamedCall{"allowed_topologies", &check_allowed_topologies},
    NamedCall{"repeated_tolerations", &check_repeated_tolerations},
};

}  // namespace

std::span<const NamedCall> class_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
