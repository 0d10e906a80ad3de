// SPDX-License-Identifier: Apache-2.0

// Text in the formats of Prometheus's Go implementation: quoted strings, numbers and durations.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/quoted_text.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

using fairway::append_utf8;
using fairway::describe_character;
using fairway::first_rune;
using fairway::quote;
using fairway::quote_character;
using fairway::Rune;

/// Returns the text of a PromQL string literal, which includes its quotes: `"..."`, `'...'` with escapes, or
/// raw in backquotes.
std::expected<std::string, std::string> unquote(std::string_view literal);

/// Formats a number with a fixed count of decimals (Go's %.3f).
std::string format_fixed(double value, int decimals);

/// Parses a number literal of a query: decimal, exponent, hexadecimal, octal, underscores, inf, nan. The
/// error is the text after "error parsing number: ".
std::expected<double, std::string> parse_number(std::string_view text);

/// Parses a duration of a query, "1h30m", into milliseconds.
std::expected<std::int64_t, std::string> parse_duration_text(std::string_view text, Dialect dialect);
/// Formats milliseconds in query syntax: "1h30m", "0s".
std::string format_duration_text(std::int64_t milliseconds);

}  // namespace fairway::promql
