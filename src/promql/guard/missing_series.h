// SPDX-License-Identifier: Apache-2.0

// A check for queries of risk conditions that give 0 where their metrics are not scraped.
#pragma once

#include <vector>

#include "promql/guard/verdict_shape.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// Finds the parts that make a query 0 without any series: `max(x{...}) or vector(0)`, `1 - absent(x)`, and a
/// part of a query that does so and is a factor of the rest. If a metric is not scraped, the cluster is then
/// taken for not exposed, and the update is recommended; without a sample the outcome would be unknown. A
/// query that is 1 without series (`absent(x) or vector(0)`) is no fault. Rule: the enhancement of
/// docs/risks.md, section Query coverage.
std::vector<ShapeFault> missing_series_faults(const Expression& query);

}  // namespace fairway::promql
