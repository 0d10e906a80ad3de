// Regular expressions of queries: RE2, anchored at both ends, with errors in the words of Go's regexp
// package.
#pragma once

#include <re2/re2.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "promql/dialect.h"

namespace fairway::promql {

/// The whole expression as Prometheus wraps it: `^(?s:...)$`, without the flag in 2.x.
std::string anchored_regex(std::string_view regex, Dialect dialect);

/// Compiles an expression, anchored, with at most 1 MiB of program.
std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view text,
                                                                          Dialect dialect);

}  // namespace fairway::promql
