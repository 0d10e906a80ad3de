// What an eval command of a test script expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "promql/engine/engine.h"
#include "promql/internal/script/series_description.h"

namespace fairway::promql {

/// A text that an error, warning or info must be, or a pattern it must have in it; neither: any will do.
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
  /// The times of the values of `series`; an instant query has one.
  Timestamp start = 0, end = 0, step = 1;
  /// `expect range vector`: an instant query that gives ranges.
  bool range_vector = false;

  bool has_histograms() const;
  /// Empty where the result is what is expected, otherwise what is wrong with it.
  std::string check_annotations(const QueryResult& result) const;
  std::string check_value(const Value& value) const;
  /// The samples of one time, where the query was run over a range around it.
  std::string check_samples(const Vector& samples) const;
};

}  // namespace fairway::promql
