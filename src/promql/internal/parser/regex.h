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

/// The whole expression as Prometheus wraps it: `^(?s:...)$`, without the flag in 2.x.
std::string anchored_regex(std::string_view regex, Dialect dialect);

/// How large an expression is before it is compiled: its bytes, where what is repeated counts as often as it
/// may be repeated (`(ab){50}` is above 100), and a class of Unicode (`\pL`) 256. At most about 2^40, in time
/// linear in the text.
std::uint64_t regex_size(std::string_view regex);

/// What an expression is for: matchers read it by itself as well, to which `a)|(b` is wrong; label_replace
/// reads it anchored only.
enum class RegexUse { matcher, label_replace };

/// Compiles an expression, anchored, with at most 1 MiB of program.
std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view text,
                                                                          Dialect dialect, RegexUse use);

}  // namespace fairway::promql
