// SPDX-License-Identifier: Apache-2.0

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
/// capture has all of `up`, and one at its own time, so that metrics outside the capture are not taken for
/// absent.
inline constexpr std::string_view captured_metric = "fairway_captured";

/// The dialect of the Prometheus server that a capture was taken from, as the capture says.
enum class CapturedDialect { unsaid, prometheus2, prometheus3, unknown };

/// Reads the dialect from a text: the comment `# fairway: dialect 3` (or 2, or unknown). A text with two
/// different comments is of an unknown one. An Error names a line with any other value.
Result<CapturedDialect> read_captured_dialect(std::string_view text);

/// Returns whether series contain a capture.
bool has_capture(const promql::SeriesStore& series);

struct CaptureLimits {
  /// Maximum size of one answer.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  /// Maximum number of samples of all metrics together.
  std::size_t samples = 5'000'000;
  /// Maximum time of one query; longer histories are queried in parts.
  std::chrono::milliseconds part = std::chrono::hours(6);
  /// Maximum number of queries for the ends of series of one metric; each query covers the series that end
  /// within five minutes.
  std::size_t end_parts = 50;
};

struct Capture {
  /// Samples in Prometheus's text format, each with its time.
  std::string text;
  /// Evaluation time of the server; an evaluation of the text at this time answers as the server would.
  promql::Timestamp time = 0;
  /// Dialect of the server, which the text also states.
  CapturedDialect dialect = CapturedDialect::unknown;
  std::size_t metrics = 0, series = 0, samples = 0;
  /// Names of metrics without series.
  std::vector<std::string> absent;
  /// Data that could not be captured, and why; a question that needs it is not answered "does not match".
  std::vector<std::string> problems;
};

/// Captures each metric that the questions name, as far back as they read (and the lookback of five minutes).
/// For metrics that are read only at the present time, each existing series has its last sample. For others,
/// the text says to the second when a series ended (promql/engine/series_ends.h). Answers of the server do
/// not say that, so it is asked at which seconds of the five minutes after its last sample a series still
/// existed. For a series that ended and came back, earlier ends are up to five minutes late.
/// A query that Prometheus 2 and 3 answer differently tells which of them evaluates. It needs no other
/// permission, and also works with Thanos.
/// An Error: the server cannot be queried at all, or `stop` was requested (`cancelled`).
Result<Capture> capture_series(PrometheusApi& api, std::span<const QuestionPointer> questions,
                               const std::stop_token& stop = {}, const CaptureLimits& limits = {});

}  // namespace fairway::risk
