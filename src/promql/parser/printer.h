// A query's tree as text.
#pragma once

#include <string>

#include "promql/parser/ast.h"

namespace fairway::promql {

/// The canonical text, byte for byte what Prometheus's format of one line (String(), format_query) gives.
/// Parsing it gives the same tree.
std::string print(const Expression& expression, Dialect dialect = Dialect::prometheus3);

/// A duration inside brackets or after offset.
std::string print_duration(Nanoseconds duration);

}  // namespace fairway::promql
