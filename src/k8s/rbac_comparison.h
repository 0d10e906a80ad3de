// SPDX-License-Identifier: Apache-2.0

// Comparison of rules of RBAC: what one list of rules allows beyond another.
#pragma once

#include <cstddef>
#include <vector>

#include "k8s/rbac_rule.h"

namespace fairway::k8s {

/// Returns the part of `wanted` that none of `owned` allows, as rules that are merged where they differ only
/// in their verbs. Empty: `owned` covers all of it. The number of combinations is bounded; those beyond the
/// bound count as missing.
/// spec: Kubernetes RBAC, privilege escalation prevention.
std::vector<RbacRule> missing_rules(const std::vector<RbacRule>& owned, const std::vector<RbacRule>& wanted);

/// The cost that many comparisons may still have together. A rule may take a quarter of what is left, so that
/// large rules leave something to those after them.
struct ComparisonBudget {
  std::size_t steps = 4'000'000;  ///< comparisons of one combination with one owned rule, a second or two
  std::size_t kept = 10'000;      ///< combinations that are kept as missing
};

/// The result of a comparison within a budget.
struct RuleComparison {
  std::vector<RbacRule> missing;       ///< the part that is not owned, as `missing_rules` returns it
  std::vector<RbacRule> not_compared;  ///< rules of `wanted` that are too large, as they are there
};

/// Compares all rules of `wanted` with those of `owned`, and takes what that costs from `budget`. A rule that
/// is among `owned` costs nothing. A rule that is too large is missing as it is if nothing is owned.
RuleComparison compare_rules(const std::vector<RbacRule>& owned, const std::vector<RbacRule>& wanted,
                             ComparisonBudget& budget);

}  // namespace fairway::k8s
