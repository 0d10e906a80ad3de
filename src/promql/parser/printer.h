// SPDX-License-Identifier: Apache-2.0

// Prints a syntax tree as a query.
#pragma once

#include <string>

#include "promql/parser/ast.h"

namespace fairway::promql {

/// Returns the canonical text, byte for byte as Prometheus prints it on one line (String(), format_query).
/// Parsing it gives the same tree.
std::string print(const Expression& expression, Dialect dialect = Dialect::prometheus3);

/// Prints a duration inside brackets or after offset.
std::string print_duration(Nanoseconds duration);

}  // namespace fairway::promql
