// SPDX-License-Identifier: Apache-2.0

// The expected result of an eval command of a test script.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "promql/engine/engine.h"
#include "promql/internal/script/series_description.h"

namespace fairway::promql {

/// The expected text of an error, warning or info, or a pattern that it must contain; neither: any text.
struct TextExpectation {
  std::optional<std::string> message;
  std::optional<Pattern> pattern;
  bool accepts(const std::string& text) const;
};

struct Expectation {
  bool fails = false;
  TextExpectation failure;
  bool ordered = false;
  bool warns = false, informs = false;
  bool no_warnings = false, no_infos = false;
  std::vector<TextExpectation> warnings, infos;
  std::optional<std::string> string;
  std::optional<double> scalar;
  std::vector<SeriesDescription> series;
  /// Times of the values of `series`; an instant query has one.
  Timestamp start = 0, end = 0, step = 1;
  /// True for `expect range vector`: an instant query whose result is ranges.
  bool range_vector = false;

  bool has_histograms() const;
  /// Returns what differs from the expectation; empty if nothing does.
  std::string check_annotations(const QueryResult& result) const;
  std::string check_value(const Value& value) const;
  /// Checks the samples of one time, if the query was run over a range around it.
  std::string check_samples(const Vector& samples) const;
};

}  // namespace fairway::promql
