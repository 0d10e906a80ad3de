#include "promql/result_json.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/json.h"
#include "base/text.h"
#include "promql/go_text.h"

namespace fairway::promql {

namespace {

/// A string as Go's encoder writes it: `\ufffd` for each byte that is not UTF-8.
void append_string(std::string& out, std::string_view text) {
  if (is_utf8(text)) {
    json::append_quoted(out, text);
    return;
  }
  out += '"';
  while (!text.empty()) {
    std::size_t good = 0;
    for (; good < text.size(); good += first_rune(text.substr(good)).width) {
      const Rune rune = first_rune(text.substr(good));
      if (rune.value == 0xFFFD && rune.width == 1) break;
    }
    std::string quoted;
    json::append_quoted(quoted, text.substr(0, good));
    out.append(quoted, 1, quoted.size() - 2);
    if (good < text.size()) out += "\\ufffd";
    text.remove_prefix(std::min(good + 1, text.size()));
  }
  out += '"';
}

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
    append_string(out, label.first);
    out += ':';
    append_string(out, label.second);
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
      append_string(out, value.string);
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
    append_string(out, text);
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
  append_string(out, error.message);
  return out + "}";
}

}  // namespace fairway::promql
