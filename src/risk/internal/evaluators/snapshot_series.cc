// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/evaluators/snapshot_series.h"

#include "base/text.h"
#include "promql/engine/labels.h"
#include "promql/engine/result_reader.h"

namespace fairway::risk {

namespace {

Error odd(const std::string& what) {
  return Error{ErrorCode::unavailable, "bad_response: " + what};
}

}  // namespace

Result<FetchedSeries> read_fetched_series(const json::Value& data, const FetchLimits& limits) {
  const std::string_view type = json::find_string(data, "resultType").value_or("");
  const bool matrix = type == "matrix";
  if (!matrix && type != "vector")
    return fail(odd("the result is " + printable(type, 40) + ", and no series"));
  const json::Value* result = json::find(data, "result");
  const json::Array* items = result == nullptr ? nullptr : result->if_array();
  if (items == nullptr) return fail(odd("the result is no list"));
  const auto too_much = [](std::size_t limit, const char* what) {
    return fail(ErrorCode::too_large,
                "the answer has more than the " + std::to_string(limit) + " " + what + " that are taken");
  };
  if (items->size() > limits.series) return too_much(limits.series, "series");
  FetchedSeries fetched;
  for (const json::Value& item : *items) {
    auto labels = promql::read_metric(item);
    if (!labels) return fail(labels.error());
    promql::Series& series = fetched.series.series(*labels);
    // Of two values the last would count, and which is right is unknown.
    if (!series.points.empty() || !series.unsupported_feature.empty())
      return fail(
          odd("the series " + printable(promql::Metric(*labels).to_string(), 200) + " is there twice"));
    if (json::find(item, matrix ? "histograms" : "histogram") != nullptr)
      series.unsupported_feature = "native histograms";
    const json::Value* points = json::find(item, matrix ? "values" : "value");
    if (points == nullptr) {
      if (series.unsupported_feature.empty()) return fail(odd("a series has no samples"));
      continue;
    }
    if (!matrix) {
      auto point = promql::read_point(*points);
      if (!point) return fail(point.error());
      if (fetched.series.point_count() >= limits.samples) return too_much(limits.samples, "samples");
      // An instant answer is of one time, at which the server has seen all of it.
      if (point->time <= 0 || (fetched.series.point_count() > 0 && point->time != fetched.time))
        return fail(odd("the samples of one instant have different times, or none"));
      fetched.time = point->time;
      fetched.series.add(*labels, point->time, point->value);
      continue;
    }
    if (!points->is_array()) return fail(odd("a series has no list of samples"));
    if (points->get_array().size() > limits.samples - fetched.series.point_count())
      return too_much(limits.samples, "samples");
    for (const json::Value& pair : points->get_array()) {
      auto point = promql::read_point(pair);
      if (!point) return fail(point.error());
      fetched.series.add(*labels, point->time, point->value);
    }
  }
  return fetched;
}

}  // namespace fairway::risk
