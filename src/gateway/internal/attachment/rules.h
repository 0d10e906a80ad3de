// What is wrong with the rules of a route by themselves: found before Envoy is given anything of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/internal/objects/api.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

/// Of each rule of a route why it cannot be served as it is written: it is wrong, or more than Envoy is
/// configured for; std::nullopt if it can. Reasons: IncompatibleFilters, UnsupportedValue.
std::vector<std::optional<k8s::ConditionError>> rule_problems(RouteKind kind,
                                                              const std::vector<k8s::View>& rules);

/// How messages call a rule: `rule 2`, or `rule 2 (checkout)`.
std::string rule_name(const k8s::View& rule, std::size_t index);

/// The same of a route as a whole: its hostnames.
std::optional<k8s::ConditionError> hostnames_problem(const std::vector<std::string>& hostnames);

/// The references to backends of a rule, with those of mirrors: `backendRefs`, `requestMirror` of the rule's
/// filters and of those of a backend.
std::vector<ObjectRef> backends_of(const k8s::View& rule);
/// The ExtensionRef filters of a rule and of its backends.
std::vector<ObjectRef> extensions_of(const k8s::View& rule);

}  // namespace fairway::gateway
