// SPDX-License-Identifier: Apache-2.0

// A check for queries of risk conditions that give several samples, as far as the operators decide that.
#pragma once

#include <vector>

#include "promql/guard/verdict_shape.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// Finds constructs that make the result of a query several samples, which is a failed evaluation: an
/// aggregation by labels that no matcher fixes, `topk` of more than one, `count_values`, and sides of an `or`
/// whose labels differ: by values that the query fixes, or because one has those of its series and the other
/// none. A selector is assumed to match one series, as in the examples of the enhancement; `_id`, which
/// Telemetry adds, has no value on a cluster. Reads no data, like verdict_shape_faults.
std::vector<ShapeFault> several_samples_faults(const Expression& query);

}  // namespace fairway::promql
