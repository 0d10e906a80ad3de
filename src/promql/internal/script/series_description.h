// SPDX-License-Identifier: Apache-2.0

// A series on one line, as Prometheus's test language writes it: `up{job="a"} 0+10x5 _ stale NaN`.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "promql/engine/value.h"

namespace fairway::promql {

struct DescribedValue {
  double value = 0;
  /// True for `_`: no value at this step.
  bool omitted = false;
  /// True for `{{...}}`: a native histogram, whose contents are not read.
  bool histogram = false;
};

struct SeriesDescription {
  LabelsRef labels;
  std::vector<DescribedValue> values;
};

/// Reads `name{label="value", "quoted name"="x"}`, or a quoted metric name inside the braces, and takes it
/// off the front of `line`. A duplicate label is an error.
std::expected<LabelsRef, std::string> take_metric(std::string_view& line);

/// Reads a metric and its values. Repetitions of one value may give at most 1,000,000.
std::expected<SeriesDescription, std::string> parse_series_description(std::string_view line);

}  // namespace fairway::promql
