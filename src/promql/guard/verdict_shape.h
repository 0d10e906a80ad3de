// Whether a query can answer as the condition of a risk has to: with one sample, 1 or 0.
#pragma once

#include <string>
#include <vector>

#include "promql/parser/ast.h"

namespace fairway::promql {

/// What is doubtful about a query's shape, and where.
struct ShapeFault {
  Span span;
  std::string message;  ///< what it does
  std::string mend;
};

/// Looks at the tree alone, so it is a guess about metrics: only what the operators themselves decide is a
/// fault. Found are results that are no vector, comparisons without `bool` that leave nothing where they
/// should say 0, queries that can only ever give 1 (or 0) or are a selector with matchers, a 0 before an `or`
/// that hides what follows it, and counts and sums that nothing bounds. spec:
/// targeted-update-edge-blocking, PromQL: one sample, 1 where the risk matters to the cluster and 0 where it
/// does not; anything else is a failed evaluation.
std::vector<ShapeFault> verdict_shape_faults(const Expression& query);

/// Matchers for equality whose value looks like a regular expression (`type="AWS|GCP"`): their places, as
/// spans of the selectors that they stand in, and how they should read.
std::vector<ShapeFault> equality_faults(const Expression& query);

}  // namespace fairway::promql
