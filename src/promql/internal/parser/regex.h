// SPDX-License-Identifier: Apache-2.0

// Regular expressions of queries: RE2, anchored at both ends, with errors in the words of Go's regexp
// package.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "promql/parser/dialect.h"

namespace fairway::promql {

/// Returns the whole expression as Prometheus wraps it: `^(?s:...)$`, without the flag in 2.x.
std::string anchored_regex(std::string_view regex, Dialect dialect);

/// Returns the size of an expression before it is compiled: its bytes, where a repeated part counts as often
/// as it may be repeated (`(ab){50}` is above 100), and a Unicode class (`\pL`) as 256. At most about 2^40,
/// in time linear in the text.
std::uint64_t regex_size(std::string_view regex);

/// The use of an expression: matchers also parse it by itself, so that `a)|(b` is invalid; label_replace
/// parses only the anchored form.
enum class RegexUse { matcher, label_replace };

/// Compiles an expression, anchored, with at most 1 MiB of program.
std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view text,
                                                                          Dialect dialect, RegexUse use);

}  // namespace fairway::promql
