// The series that queries need, taken out of a Prometheus: the queries can be evaluated over them elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "promql/engine/series.h"
#include "promql/engine/value.h"
#include "risk/condition.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::risk {

/// A metric that captures add: `fairway_captured{metric="up"}` has a sample at the time since which the
/// capture has all of `up`, and one at its own time, so that nobody takes what is not in it for absent.
inline constexpr std::string_view captured_metric = "fairway_captured";

/// What a capture says of the Prometheus that it was taken from.
enum class CapturedDialect { unsaid, prometheus2, prometheus3, unknown };

/// Reads it off a text: the comment `# fairway: dialect 3` (or 2, or unknown). A text that says two things is
/// of an unknown one. An Error names a line that says something else.
Result<CapturedDialect> read_captured_dialect(std::string_view text);

/// Returns whether series are, or have, a capture.
bool has_capture(const promql::SeriesStore& series);

struct CaptureLimits {
  /// Of one answer.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  /// Of all metrics together.
  std::size_t samples = 5'000'000;
  /// Longer histories are asked for in parts.
  std::chrono::milliseconds part = std::chrono::hours(6);
  /// How often the end of series of one metric is asked for: each time, of those that end within five
  /// minutes.
  std::size_t end_parts = 50;
};

struct Capture {
  /// In Prometheus's text format, each sample with its time.
  std::string text;
  /// When the server evaluated; an evaluation of the text at this time answers as the server would.
  promql::Timestamp time = 0;
  /// How the server evaluates; the text says it, too.
  CapturedDialect dialect = CapturedDialect::unknown;
  std::size_t metrics = 0, series = 0, samples = 0;
  /// Metrics without series.
  std::vector<std::string> absent;
  /// What could not be captured, and why; a question that needs it is not answered "does not match" over it.
  std::vector<std::string> problems;
};

/// Asks for each metric that the questions name, as far back as they look (and the lookback of five minutes).
/// Of metrics that are only looked at in the present each series that is there has its last sample. Of
/// others, the text says to the second when a series ended (promql/engine/series_ends.h): answers do not, so
/// the server is asked at which seconds of the five minutes behind its last sample a series was still there.
/// A series that ended and came back ends up to five minutes late before.
/// Whether the server evaluates as Prometheus 2 or 3 is asked by a query that they answer differently, which
/// needs no other permission, and tells of Thanos, too.
/// An Error: the server cannot be asked at all, or `stop` was requested (`cancelled`).
Result<Capture> capture_series(PrometheusApi& api, std::span<const QuestionPointer> questions,
                               const std::stop_token& stop = {}, const CaptureLimits& limits = {});

}  // namespace fairway::risk
