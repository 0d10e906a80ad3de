// SPDX-License-Identifier: Apache-2.0

// Numbers and JSON as Go writes them, which messages of Kubernetes and Prometheus have in them.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace fairway {

/// Returns strconv.FormatFloat(value, 'f', -1): the shortest decimal digits that read back as the same
/// number, without an exponent: "12340000", "0.00001234", "+Inf", "NaN".
std::string go_plain_number(double value);
/// Returns strconv.FormatFloat(value, 'g', -1), which is fmt's %g and %v: as above, but with an exponent
/// below 1e-4 and from 1e6 on: "999999", "1e+06", "1e-05".
std::string go_number(double value);

/// The Go encoders of JSON differ in two characters.
enum class GoEncoder {
  encoding_json,  ///< "\b", "\f"
  json_iterator,  ///< "\u0008", "\u000c": structured-merge-diff writes with it
};

/// Appends a value as Go's encoders write it: members sorted, HTML's special characters escaped, floats
/// without a needless fraction, and with an exponent below 1e-6 and from 1e21 on. An integer beyond int64 is
/// a float, as Go's decoders read it.
void append_go_json(std::string& out, const json::Value& value, GoEncoder encoder = GoEncoder::encoding_json);
/// Appends a text, with its quotes, as Go's encoders write it.
void append_go_json_text(std::string& out, std::string_view text,
                         GoEncoder encoder = GoEncoder::encoding_json);

}  // namespace fairway
