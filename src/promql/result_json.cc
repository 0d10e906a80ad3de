#include "promql/result_json.h"

#include <cmath>

#include "promql/go_text.h"

namespace fairway::promql {

namespace {

json::Value time_json(Timestamp time) {
  if (time % 1000 == 0) return time / 1000;
  return static_cast<double>(time) / 1000;
}

json::Value metric_json(const Metric& metric) {
  json::Object object;
  metric.for_each([&](const Label& label) { object[label.first] = label.second; });
  return object;
}

json::Value point_json(Timestamp time, double value) {
  return json::Array{time_json(time), json::Value(format_number(value))};
}

json::Value value_json(const Value& value) {
  json::Array result;
  switch (value.type) {
    case ValueType::scalar:
      return point_json(value.time, value.scalar);
    case ValueType::string:
      return json::Array{time_json(value.time), json::Value(value.string)};
    case ValueType::vector:
      for (const Sample& sample : value.vector)
        result.push_back(json::Object{{"metric", metric_json(sample.metric)},
                                      {"value", point_json(sample.time, sample.value)}});
      break;
    case ValueType::matrix:
      for (const SeriesResult& series : value.matrix) {
        json::Array points;
        for (const Point& point : series.points) points.push_back(point_json(point.time, point.value));
        result.push_back(json::Object{{"metric", metric_json(series.metric)}, {"values", std::move(points)}});
      }
      break;
    case ValueType::none:
      break;
  }
  return result;
}

json::Array texts(const std::set<std::string>& from) {
  json::Array result;
  for (const std::string& text : from) result.emplace_back(text);
  return result;
}

}  // namespace

json::Value to_json(const QueryResult& result) {
  json::Object answer{{"status", "success"},
                      {"data", json::Object{{"resultType", std::string(to_string(result.value.type))},
                                            {"result", value_json(result.value)}}}};
  if (!result.warnings.empty()) answer["warnings"] = texts(result.warnings);
  if (!result.infos.empty()) answer["infos"] = texts(result.infos);
  return answer;
}

json::Value to_json(const QueryError& error) {
  const char* type = "execution";
  if (error.kind == QueryError::Kind::timeout) type = "timeout";
  if (error.kind == QueryError::Kind::cancelled) type = "canceled";
  return json::Object{{"status", "error"}, {"errorType", type}, {"error", error.message}};
}

}  // namespace fairway::promql
