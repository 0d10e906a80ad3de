// SPDX-License-Identifier: Apache-2.0

// Writes Prometheus's text exposition format, as `read_exposition` and `read_series_ends` read it.
#pragma once

#include <string>

#include "promql/engine/labels.h"
#include "promql/engine/value.h"

namespace fairway::promql {

/// Returns `up{job="a"}`; a name that the old rules do not allow is quoted within the braces, as in
/// Prometheus 3.
std::string series_text(const LabelSet& labels);

/// Appends a line with a sample of a series (`series_text`), with its time in milliseconds.
void append_sample(std::string& out, const std::string& series, double value, Timestamp time);

/// Appends a comment that says when a series ended: `# fairway: ended up{job="a"} 1700000000000`.
void append_series_end(std::string& out, const std::string& series, Timestamp time);

}  // namespace fairway::promql
