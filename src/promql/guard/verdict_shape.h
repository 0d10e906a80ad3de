// SPDX-License-Identifier: Apache-2.0

// A check that a query has the result that a risk condition needs: one sample, 1 or 0.
#pragma once

#include <string>
#include <vector>

#include "promql/parser/ast.h"

namespace fairway::promql {

/// A suspicious construct in a query, and its position.
struct ShapeFault {
  Span span = {};
  std::string message = {};  ///< the effect
  std::string fix = {};
};

/// Finds faults by a heuristic on the syntax tree, without data: only what the operators themselves determine
/// is a fault. Faults are: a result that is not a vector; comparisons without `bool`, which give no sample
/// instead of 0; queries that can only give 1 (or 0) or are a selector with matchers; a 0 before an `or`,
/// which hides the right side; unbounded counts and sums. Rule: the enhancement of docs/risks.md, section
/// PromQL: one sample, 1 if the cluster is exposed to the risk and 0 if not; anything else is a failed
/// evaluation.
std::vector<ShapeFault> verdict_shape_faults(const Expression& query);

/// Finds equality matchers whose value looks like a regular expression (`type="AWS|GCP"`): the spans of their
/// selectors, and the corrected text.
std::vector<ShapeFault> equality_faults(const Expression& query);

}  // namespace fairway::promql
