// SPDX-License-Identifier: Apache-2.0

#include "cli/promql/series_files.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "cli/promql/promql.h"
#include "command_line/input.h"
#include "command_line/terminal.h"
#include "promql/engine/exposition.h"
#include "promql/engine/series_ends.h"
#include "promql/parser/go_text.h"
#include "promql/script/promqltest.h"

namespace fairway::cli {

namespace {

/// Time in 1973, in milliseconds. Earlier times are implausible: seconds that were taken for milliseconds are
/// all before it.
constexpr promql::Timestamp hardly_meant = 100'000'000'000;

/// Returns whether a line begins the series of a script: `load 5m`. `load 1.5` is a sample of a metric of
/// that name.
bool begins_load(std::string_view line) {
  if (!line.starts_with("load ") && !line.starts_with("load_with_nhcb ")) return false;
  const std::string_view step = trim(line.substr(line.find(' ')));
  return promql::parse_duration_text(step, promql::Dialect::prometheus3) && !promql::parse_number(step);
}

bool is_script(std::string_view text) {
  return std::ranges::any_of(split(text, '\n'), begins_load);
}

/// Combines the dialects of several captures.
void combine(risk::CapturedDialect& all, risk::CapturedDialect one) {
  if (one == risk::CapturedDialect::unsaid || one == all) return;
  all = all == risk::CapturedDialect::unsaid ? one : risk::CapturedDialect::unknown;
}

promql::Timestamp present() {
  const auto now = Clock::system().now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

CLI::Option* add_series_inputs(CLI::App& command, SeriesInputs& inputs) {
  CLI::Option* series =
      command
          .add_option("--series", inputs.files,
                      "Series from a file, or - for standard input: exposition text, or a test script with "
                      "load commands (repeatable)")
          ->type_name("FILE");
  command
      .add_option(
          "--time", inputs.time,
          "When: seconds since 1970 or RFC 3339 (default: the last sample where each has a time, or now)")
      ->type_name("TIME");
  return series;
}

std::string time_text(promql::Timestamp time) {
  constexpr promql::Timestamp last = 9'000'000'000'000;  // of the year 2255; clocks end in 2262
  const std::chrono::milliseconds shown(std::clamp<promql::Timestamp>(time, -last, last));
  return format_time(WallTime(std::chrono::duration_cast<WallTime::duration>(shown)));
}

Result<std::optional<promql::Timestamp>> parse_query_time(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto seconds = promql::parse_number(text); seconds && std::abs(*seconds) < 1e12)
    return static_cast<promql::Timestamp>(std::round(*seconds * 1000));
  const auto time = parse_time(text);
  if (!time) return fail(time.error().within("reading --time"));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time->time_since_epoch()).count();
}

Result<LoadedSeries> load_series(const std::vector<std::string>& files,
                                 std::optional<promql::Timestamp> time) {
  LoadedSeries loaded;
  const auto within = [](const Error& error, const std::string& file) {
    return fail(error.within("reading the series of " + file));
  };
  std::vector<std::pair<const std::string*, std::string>> texts;
  for (const std::string& file : files) {
    auto text = command_line::read_input(file);
    if (!text) return fail(text.error());
    if (is_script(*text)) {
      if (auto read = promql::load_script(*text, loaded.store); !read) return within(read.error(), file);
    } else {
      texts.emplace_back(&file, *std::move(text));
    }
  }
  // Samples without a time of their own stand at the time of evaluation, which a script may decide.
  const bool has_scripts = loaded.store.point_count() > 0;
  loaded.time = time ? *time : has_scripts ? loaded.store.last_time() : present();
  promql::ExpositionCount count;
  for (const auto& [file, text] : texts) {
    const auto read = promql::read_exposition(text, loaded.time, loaded.store);
    if (!read) return within(read.error(), *file);
    if (auto ends = promql::read_series_ends(text, loaded.store); !ends) return within(ends.error(), *file);
    const auto captured = risk::read_captured_dialect(text);
    if (!captured) return within(captured.error(), *file);
    combine(loaded.captured, *captured);
    count.samples += read->samples;
    count.dated += read->dated;
  }
  if (loaded.captured == risk::CapturedDialect::unsaid && risk::has_capture(loaded.store))
    loaded.captured = risk::CapturedDialect::unknown;
  if (time || count.dated == 0) return loaded;
  if (count.dated == count.samples) loaded.time = loaded.store.last_time();
  if (loaded.time < hardly_meant && !has_scripts) {
    command_line::warn("the last sample is of " + time_text(loaded.time) +
                       ", which becomes the time of evaluation: timestamps " +
                       "of the text format are in milliseconds");
  }
  return loaded;
}

SeriesDialect dialect_over(const LoadedSeries& series, const std::string& flag) {
  using Captured = risk::CapturedDialect;
  using Source = risk::DialectSource;
  const bool known = series.captured == Captured::prometheus2 || series.captured == Captured::prometheus3;
  const promql::Dialect captured =
      series.captured == Captured::prometheus2 ? promql::Dialect::prometheus2 : promql::Dialect::prometheus3;
  if (flag.empty()) {
    if (known) return {captured, Source::known};
    return {promql::Dialect::prometheus3,
            series.captured == Captured::unknown ? Source::unknown : Source::assumed};
  }
  const promql::Dialect wanted = dialect_of(flag);
  if (known && wanted != captured) {
    command_line::warn("the metrics were captured from a Prometheus " +
                       std::string(captured == promql::Dialect::prometheus2 ? "2" : "3") +
                       ", and are evaluated as Prometheus " + flag + " would: --dialect says so");
  }
  return {wanted, series.captured == Captured::unsaid ? Source::assumed : Source::known};
}

void warn_of_times(const std::map<std::string, promql::Timestamp>& outside_window, promql::Timestamp time) {
  for (const auto& [metric, last] : outside_window) {
    command_line::warn(printable(metric) + " has no samples where the query looks, at " + time_text(time) +
                       ": the last is of " + time_text(last) +
                       " (timestamps of the text format are in milliseconds; --time says when to evaluate)");
  }
}

}  // namespace fairway::cli
