// How many samples a query of a risk condition gives, where the operators alone decide.
#pragma once

#include <vector>

#include "promql/guard/verdict_shape.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// Constructs that make the result of a query several samples, which is a failed evaluation: an aggregation
/// by labels that no matcher fixes, `topk` of more than one, `count_values`, and sides of an `or` whose
/// labels differ. A selector is taken to match one series, as in the examples of the enhancement; `_id`,
/// which Telemetry adds, has no value on a cluster. Without data, like verdict_shape_faults.
std::vector<ShapeFault> several_samples_faults(const Expression& query);

/// Sides of an `or` that are 0 whether or not there are series: `max(x{...}) or vector(0)`. Where x is not
/// scraped the cluster is taken for not exposed, and the update is recommended; without a sample the outcome
/// would be unknown. Rule: the enhancement of docs/risks.md, section Query coverage.
std::vector<ShapeFault> missing_series_faults(const Expression& query);

}  // namespace fairway::promql
