#include "risk/snapshot_series.h"

#include <cmath>

#include "base/text.h"
#include "promql/labels.h"
#include "risk/remote.h"

namespace fairway::risk {

namespace {

Error odd(const std::string& what) {
  return Error{ErrorCode::unavailable, "bad_response: " + what};
}

Result<promql::LabelsRef> read_labels(const json::Value& item) {
  const json::Value* metric = json::find(item, "metric");
  const json::Object* names = metric == nullptr ? nullptr : metric->if_object();
  if (names == nullptr) return fail(odd("a series has no labels"));
  std::vector<promql::Label> labels;
  for (const auto& [name, value] : *names) {
    if (!value.is_string()) return fail(odd("the label " + printable(name, 80) + " is no text"));
    labels.emplace_back(std::string(name), std::string(value.get_string()));
  }
  return promql::LabelSet::make(std::move(labels));
}

/// `[1700000000.123, "1.5"]`
Result<promql::Point> read_point(const json::Value& pair) {
  const json::Array* parts = pair.if_array();
  if (parts == nullptr || parts->size() != 2 || !(*parts)[0].is_number() || !(*parts)[1].is_string())
    return fail(odd("a sample is no pair of a time and a text"));
  const auto value = sample_value((*parts)[1].get_string());
  if (!value) return fail(odd("'" + printable((*parts)[1].get_string(), 80) + "' is not a sample's value"));
  const double seconds = (*parts)[0].to_number<double>();
  if (!(std::abs(seconds) < 1e12)) return fail(odd("a sample has a time that is none"));
  return promql::Point{std::llround(seconds * 1000), *value};
}

}  // namespace

Result<FetchedSeries> read_fetched_series(const json::Value& data) {
  const std::string_view type = json::find_string(data, "resultType").value_or("");
  const bool matrix = type == "matrix";
  if (!matrix && type != "vector")
    return fail(odd("the result is " + printable(type, 40) + ", and no series"));
  const json::Value* result = json::find(data, "result");
  const json::Array* items = result == nullptr ? nullptr : result->if_array();
  if (items == nullptr) return fail(odd("the result is no list"));
  FetchedSeries fetched;
  for (const json::Value& item : *items) {
    auto labels = read_labels(item);
    if (!labels) return fail(labels.error());
    promql::Series& series = fetched.series.series(*labels);
    if (json::find(item, matrix ? "histograms" : "histogram") != nullptr)
      series.unsupported_feature = "native histograms";
    const json::Value* points = json::find(item, matrix ? "values" : "value");
    if (points == nullptr) {
      if (series.unsupported_feature.empty()) return fail(odd("a series has no samples"));
      continue;
    }
    if (!matrix) {
      auto point = read_point(*points);
      if (!point) return fail(point.error());
      fetched.time = point->time;
      fetched.series.add(*labels, point->time, point->value);
      continue;
    }
    if (!points->is_array()) return fail(odd("a series has no list of samples"));
    for (const json::Value& pair : points->get_array()) {
      auto point = read_point(pair);
      if (!point) return fail(point.error());
      fetched.series.add(*labels, point->time, point->value);
    }
  }
  return fetched;
}

}  // namespace fairway::risk
