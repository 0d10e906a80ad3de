// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/result_reader.h"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::promql {

namespace {

std::unexpected<Error> odd(const std::string& what) {
  return fail(ErrorCode::unavailable, "bad_response: " + what);
}

/// Reads the points of an item: under `values` if `many`, otherwise the one under `value`.
Result<std::vector<Point>> read_points(const json::Value& item, bool many) {
  if (json::find(item, many ? "histograms" : "histogram") != nullptr) {
    return fail(ErrorCode::unsupported, "native histograms are not supported, and the answer has them");
  }
  const json::Value* found = json::find(item, many ? "values" : "value");
  if (found == nullptr) return odd("a series has no samples");
  std::vector<Point> points;
  if (!many) {
    auto point = read_point(*found);
    if (!point) return fail(point.error());
    points.push_back(*point);
    return points;
  }
  if (!found->is_array()) return odd("a series has no list of samples");
  for (const json::Value& pair : found->get_array()) {
    auto point = read_point(pair);
    if (!point) return fail(point.error());
    points.push_back(*point);
  }
  return points;
}

Result<void> read_series(const json::Value& result, Value& value) {
  if (!result.is_array()) return odd("the result is no list");
  const bool many = value.type == ValueType::matrix;
  for (const json::Value& item : result.get_array()) {
    auto labels = read_metric(item);
    if (!labels) return fail(labels.error());
    auto points = read_points(item, many);
    if (!points) return fail(points.error());
    Metric metric(*std::move(labels));
    if (many) {
      value.matrix.push_back({std::move(metric), *std::move(points)});
    } else {
      value.vector.push_back({std::move(metric), points->front().value, points->front().time, false});
    }
  }
  return {};
}

/// Reads `[1700000000, "text"]`.
Result<void> read_string(const json::Value& result, Value& value) {
  const json::Array* pair = result.if_array();
  if (pair == nullptr || pair->size() != 2 || !(*pair)[0].is_number() || !(*pair)[1].is_string())
    return odd("a string is no pair of a time and a text");
  value.time = std::llround((*pair)[0].to_number<double>() * 1000);
  value.string = (*pair)[1].get_string();
  return {};
}

Result<Value> read_value(const json::Value& data) {
  const std::string_view name = json::find_string(data, "resultType").value_or("");
  const json::Value* result = json::find(data, "result");
  if (result == nullptr) return odd("the answer has no result");
  Value value;
  for (const ValueType type : {ValueType::scalar, ValueType::string, ValueType::vector, ValueType::matrix}) {
    if (name == to_string(type)) value.type = type;
  }
  Result<void> read;
  switch (value.type) {
    case ValueType::none:
      return odd("the result has the type '" + printable(name, 40) + "', which is none");
    case ValueType::scalar: {
      const auto point = read_point(*result);
      if (!point) return fail(point.error());
      value.scalar = point->value;
      value.time = point->time;
      break;
    }
    case ValueType::string:
      read = read_string(*result, value);
      break;
    case ValueType::vector:
    case ValueType::matrix:
      read = read_series(*result, value);
      break;
  }
  if (!read) return fail(read.error());
  return value;
}

std::set<std::string> read_texts(const json::Value& answer, std::string_view key) {
  std::set<std::string> texts;
  const json::Value* found = json::find(answer, key);
  if (found == nullptr || !found->is_array()) return texts;
  for (const json::Value& text : found->get_array()) {
    if (text.is_string()) texts.emplace(text.get_string());
  }
  return texts;
}

}  // namespace

std::optional<double> sample_value(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<LabelsRef> read_metric(const json::Value& item) {
  const json::Value* metric = json::find(item, "metric");
  const json::Object* names = metric == nullptr ? nullptr : metric->if_object();
  if (names == nullptr) return odd("a series has no labels");
  std::vector<Label> labels;
  for (const auto& [name, value] : *names) {
    if (!value.is_string()) return odd("the label " + printable(name, 80) + " is no text");
    labels.emplace_back(std::string(name), std::string(value.get_string()));
  }
  return LabelSet::make(std::move(labels));
}

Result<Point> read_point(const json::Value& pair) {
  const json::Array* parts = pair.if_array();
  if (parts == nullptr || parts->size() != 2 || !(*parts)[0].is_number() || !(*parts)[1].is_string())
    return odd("a sample is no pair of a time and a text");
  const auto value = sample_value((*parts)[1].get_string());
  if (!value) return odd("'" + printable((*parts)[1].get_string(), 80) + "' is not a sample's value");
  const double seconds = (*parts)[0].to_number<double>();
  if (!(std::abs(seconds) < 1e12)) return odd("a sample has a time that is not a number of this range");
  return Point{std::llround(seconds * 1000), *value};
}

Result<QueryResult> read_result(const json::Value& answer) {
  const json::Value* data = json::find(answer, "data");
  if (json::find_string(answer, "status") != "success" || data == nullptr)
    return odd("the answer has no data");
  auto value = read_value(*data);
  if (!value) return fail(value.error());
  return QueryResult{*std::move(value), read_texts(answer, "warnings"), read_texts(answer, "infos")};
}

}  // namespace fairway::promql
