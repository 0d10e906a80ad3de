// SPDX-License-Identifier: Apache-2.0

// Numbers of JSON and YAML texts: one way to read them, one way to write them.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace fairway::json {

/// The double that is nearest to a number's whole text: an optional '-', digits, at most one '.', an optional
/// exponent. A number that is nearer to 0 than any other double is 0, as for Go and JavaScript.
///
/// Errors name the number and say what is wrong with it: it is beyond the largest double, or an integer
/// beyond 64 bits, which would be rounded. An integer beyond 64 bits that is the text of a double, as Go and
/// JavaScript write it (18446744073709552000 is 2^64), is that double. `if_rounded` ends the error of such an
/// integer: how to write it in this format.
std::expected<double, std::string> read_double(std::string_view text, std::string_view if_rounded = {});

/// Appends a number's text: integers exactly; doubles as `append_text` of base/json.h says.
void append_number(std::string& out, std::int64_t number);
void append_number(std::string& out, std::uint64_t number);
void append_number(std::string& out, double number);

}  // namespace fairway::json
