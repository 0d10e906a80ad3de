// SPDX-License-Identifier: Apache-2.0

// The estimated cost of an expression, before it is ever evaluated.
#pragma once

#include <cstdint>

#include "cel/checker/checked.h"
#include "cel/checker/environment.h"
#include "cel/syntax/ast.h"

namespace fairway::cel {

/// Limits of estimates in Kubernetes: of one expression (times how often its schema can occur), and of all
/// rules of a CRD together.
inline constexpr std::uint64_t expression_cost_limit = 10'000'000;
inline constexpr std::uint64_t crd_cost_limit = 100'000'000;

/// Bounds of a cost; the largest uint64 if there is no bound.
struct CostEstimate {
  std::uint64_t min = 0, max = 0;
  friend bool operator==(const CostEstimate&, const CostEstimate&) = default;
};

/// Estimates the bounds of the cost at run time (cel-go's checker/cost.go with Kubernetes's library/cost.go).
/// The size of a value with a place in the schema is at most the `max_size` of its type; without one a size
/// has no bound. Other sizes follow from the expression, where cel-go derives them: the size of a result, but
/// not that of its elements, which Kubernetes then takes from the type of the variable `self`.
CostEstimate estimate_cost(const Expression& expression, const Environment& environment,
                           const Checked& checked);

}  // namespace fairway::cel
