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
#include "promql/engine/value.h"
#include "risk/condition.h"
#include "risk/evaluators/prometheus_api.h"

namespace fairway::risk {

/// A metric that captures add: `fairway_captured{metric="up"}` has a sample at the time since which the
/// capture has all of `up`, and one at its own time, so that nobody takes what is not in it for absent.
inline constexpr std::string_view captured_metric = "fairway_captured";

struct CaptureLimits {
  /// Of one answer.
  std::size_t max_answer_bytes = std::size_t{64} << 20;
  /// Of all metrics together.
  std::size_t samples = 5'000'000;
  /// Longer histories are asked for in parts.
  std::chrono::milliseconds part = std::chrono::hours(6);
};

struct Capture {
  /// In Prometheus's text format, each sample with its time.
  std::string text;
  /// When the server evaluated; an evaluation of the text at this time answers as the server would.
  promql::Timestamp time = 0;
  std::size_t metrics = 0, series = 0, samples = 0;
  /// Metrics without series.
  std::vector<std::string> absent;
  /// What could not be captured, and why; a question that needs it is not answered "does not match" over it.
  std::vector<std::string> problems;
};

/// Asks for each metric that the questions name, as far back as they look (and the lookback of five minutes).
/// Of metrics that are only looked at in the present each series has its last sample. A series that has ended
/// is left out where the present is looked at; in the past it ends five minutes late, because answers do not
/// say when series ended.
/// An Error: the server cannot be asked at all, or `stop` was requested (`cancelled`).
Result<Capture> capture_series(PrometheusApi& api, std::span<const QuestionPointer> questions,
                               const std::stop_token& stop = {}, const CaptureLimits& limits = {});

}  // namespace fairway::risk
