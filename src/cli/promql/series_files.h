// Series from files, as `--series` names them.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "promql/engine/series.h"

namespace fairway::cli {

struct SeriesInputs {
  std::vector<std::string> files;
  std::string time;
};

/// Adds --series and --time.
CLI::Option* add_series_inputs(CLI::App& command, SeriesInputs& inputs);

struct LoadedSeries {
  promql::SeriesStore store;
  /// When to evaluate: as told, else when the last sample was taken if each says when, else when the last of
  /// the scripts was, else now.
  promql::Timestamp time = 0;
};

/// A time as Prometheus's API takes it, seconds since 1970 or RFC 3339; nothing for an empty text.
Result<std::optional<promql::Timestamp>> parse_query_time(const std::string& text);

/// For people: RFC 3339.
std::string time_text(promql::Timestamp time);

/// Reads the files: scripts of the test language by their load commands, all else as exposition text, whose
/// samples stand at the time of evaluation unless they say when. Warns of times that hardly anybody means.
Result<LoadedSeries> load_series(const std::vector<std::string>& files,
                                 std::optional<promql::Timestamp> time);

/// Warns of metrics whose samples a query does not see, evaluated at that time.
void warn_of_times(const std::map<std::string, promql::Timestamp>& out_of_sight, promql::Timestamp time);

}  // namespace fairway::cli
