// SPDX-License-Identifier: Apache-2.0

// Checks of a route's rules by themselves, before Envoy is given any of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/objects/api.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

/// The reason why a rule cannot be served as it is written: it is wrong, or exceeds a limit of Envoy's
/// configuration. Reasons: IncompatibleFilters, UnsupportedValue.
struct RuleProblem {
  k8s::ConditionError error;
  /// True if it is not known for which requests the rule is. Otherwise those get an error: a rule for more
  /// requests, and without the filters of this one, must not get them.
  bool is_of_matches = false;
};

/// Returns the problem of each rule of a route; std::nullopt: it can be served.
std::vector<std::optional<RuleProblem>> rule_problems(RouteKind kind, const std::vector<k8s::View>& rules);

/// Returns the name of a rule in messages: `rule 2`, or `rule 2 (checkout)`.
std::string rule_name(const k8s::View& rule, std::size_t index);

/// Returns the reason why a route cannot be served because of its hostnames; std::nullopt: there is none.
std::optional<k8s::ConditionError> hostnames_problem(const std::vector<std::string>& hostnames);

/// Returns the references to backends of a rule, including mirrors: `backendRefs`, and `requestMirror` of the
/// filters of the rule and of its backends.
std::vector<ObjectRef> backends_of(const k8s::View& rule);
/// Returns the references of the ExtensionRef filters of a rule and of its backends.
std::vector<ObjectRef> extensions_of(const k8s::View& rule);

}  // namespace fairway::gateway
