// SPDX-License-Identifier: Apache-2.0

// Series from the files of `--series`.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "promql/engine/series.h"
#include "promql/parser/dialect.h"
#include "risk/evaluators/capture.h"
#include "risk/evaluators/fixed_series.h"

namespace fairway::cli {

struct SeriesInputs {
  std::vector<std::string> files;
  std::string time;
};

/// Adds --series and --time.
CLI::Option* add_series_inputs(CLI::App& command, SeriesInputs& inputs);

struct LoadedSeries {
  promql::SeriesStore store;
  /// The evaluation time: the given one; otherwise that of the last sample if all have timestamps; otherwise
  /// that of the last sample of the scripts; otherwise now.
  promql::Timestamp time = 0;
  /// The Prometheus that they were captured from; `unsaid` if they are not a capture.
  risk::CapturedDialect captured = risk::CapturedDialect::unsaid;
};

/// The dialect for queries over series, and its source.
struct SeriesDialect {
  promql::Dialect dialect = promql::Dialect::prometheus3;
  risk::DialectSource source = risk::DialectSource::assumed;
};

/// Returns the dialect of the captured Prometheus, unless `flag` (--dialect, "2" or "3"; empty: not given)
/// sets another one, with a warning.
SeriesDialect dialect_over(const LoadedSeries& series, const std::string& flag);

/// Parses a time in the format of Prometheus's API, seconds since 1970 or RFC 3339; std::nullopt for an empty
/// text.
Result<std::optional<promql::Timestamp>> parse_query_time(const std::string& text);

/// Returns a time for people: RFC 3339.
std::string time_text(promql::Timestamp time);

/// Reads the files: scripts of the test language by their load commands, others as exposition text. Samples
/// of the latter are at the evaluation time unless they have a timestamp, and their series end where the text
/// says so (promql/engine/series_ends.h). Warns about implausible times.
Result<LoadedSeries> load_series(const std::vector<std::string>& files,
                                 std::optional<promql::Timestamp> time);

/// Warns about metrics with samples only outside the query's range at that time.
void warn_of_times(const std::map<std::string, promql::Timestamp>& outside_window, promql::Timestamp time);

}  // namespace fairway::cli
