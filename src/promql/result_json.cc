#include "promql/result_json.h"

#include <set>
#include <string_view>

#include "base/json.h"
#include "promql/go_text.h"

namespace fairway::promql {

namespace {

/// Seconds; a fraction always has three digits.
void append_time(std::string& out, Timestamp time) {
  out += time % 1000 == 0 ? std::to_string(time / 1000) : format_fixed(static_cast<double>(time) / 1000, 3);
}

void append_value(std::string& out, double value) {
  out += ",\"" + format_number(value) + "\"]";
}

void append_point(std::string& out, Timestamp time, double value) {
  out += '[';
  append_time(out, time);
  append_value(out, value);
}

/// The time of a scalar or a string, whose fraction has no more digits than it needs.
void append_own_time(std::string& out, Timestamp time) {
  out += "[" + format_number(static_cast<double>(time) / 1000);
}

void append_metric(std::string& out, const Metric& metric) {
  out += "{\"metric\":{";
  const char* separator = "";
  metric.for_each([&](const Label& label) {
    out += separator;
    separator = ",";
    json::append_quoted(out, label.first);
    out += ':';
    json::append_quoted(out, label.second);
  });
  out += '}';
}

void append_vector(std::string& out, const Vector& vector) {
  out += '[';
  const char* separator = "";
  for (const Sample& sample : vector) {
    out += separator;
    separator = ",";
    append_metric(out, sample.metric);
    out += ",\"value\":";
    append_point(out, sample.time, sample.value);
    out += '}';
  }
  out += ']';
}

void append_matrix(std::string& out, const std::vector<SeriesResult>& matrix) {
  out += '[';
  const char* separator = "";
  for (const SeriesResult& series : matrix) {
    out += separator;
    separator = ",";
    append_metric(out, series.metric);
    out += ",\"values\":[";
    const char* between = "";
    for (const Point& point : series.points) {
      out += between;
      between = ",";
      append_point(out, point.time, point.value);
    }
    out += "]}";
  }
  out += ']';
}

void append_result(std::string& out, const Value& value) {
  switch (value.type) {
    case ValueType::scalar:
      append_own_time(out, value.time);
      append_value(out, value.scalar);
      break;
    case ValueType::string:
      append_own_time(out, value.time);
      out += ',';
      json::append_quoted(out, value.string);
      out += ']';
      break;
    case ValueType::vector:
      append_vector(out, value.vector);
      break;
    case ValueType::matrix:
      append_matrix(out, value.matrix);
      break;
    case ValueType::none:
      out += "[]";
      break;
  }
}

void append_texts(std::string& out, std::string_view key, const std::set<std::string>& texts) {
  if (texts.empty()) return;
  out += ",\"" + std::string(key) + "\":[";
  const char* separator = "";
  for (const std::string& text : texts) {
    out += separator;
    separator = ",";
    json::append_quoted(out, text);
  }
  out += ']';
}

}  // namespace

std::string to_json_text(const QueryResult& result) {
  std::string out = "{\"status\":\"success\",\"data\":{\"resultType\":\"" +
                    std::string(to_string(result.value.type)) + "\",\"result\":";
  append_result(out, result.value);
  out += '}';
  append_texts(out, "warnings", result.warnings);
  append_texts(out, "infos", result.infos);
  return out + "}";
}

std::string to_json_text(const QueryError& error) {
  std::string_view type = "execution";
  if (error.kind == QueryError::Kind::timeout) type = "timeout";
  if (error.kind == QueryError::Kind::cancelled) type = "canceled";
  std::string out = "{\"status\":\"error\",\"errorType\":\"" + std::string(type) + "\",\"error\":";
  json::append_quoted(out, error.message);
  return out + "}";
}

}  // namespace fairway::promql
