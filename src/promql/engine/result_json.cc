// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/result_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "base/go_text.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

/// Escapes of a string in JSON. Go's encoders escape characters that are special in HTML and JavaScript
/// (`html`), except in labels in Prometheus 3. From Go 1.22 on, a string result has short forms for two more
/// characters (`short_forms`).
struct Escapes {
  bool html = true, short_forms = false;
};

std::string unicode_escape(char32_t character) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[(character >> shift) & 0xF];
  return out;
}

/// Returns the escape of a character; empty if it is written as it is.
std::string escape_of(Rune rune, Escapes escapes) {
  switch (rune.value) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return escapes.short_forms ? "\\b" : unicode_escape(rune.value);
    case '\f':
      return escapes.short_forms ? "\\f" : unicode_escape(rune.value);
    case 0xFFFD:
      return rune.width == 1 ? "\\ufffd" : "";
    case '<':
    case '>':
    case '&':
    case 0x2028:
    case 0x2029:
      return escapes.html ? unicode_escape(rune.value) : "";
    default:
      return rune.value < 0x20 ? unicode_escape(rune.value) : "";
  }
}

/// Appends a string as Go's encoders write it: `\ufffd` for each byte that is not UTF-8.
void append_string(std::string& out, std::string_view text, Escapes escapes = {}) {
  out += '"';
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    const std::string escape = escape_of(rune, escapes);
    out += escape.empty() ? text.substr(0, rune.width) : escape;
    text.remove_prefix(rune.width);
  }
  out += '"';
}

/// Appends a time in seconds; a fraction always has three digits.
void append_time(std::string& out, Timestamp time) {
  out += time % 1000 == 0 ? std::to_string(time / 1000) : format_fixed(static_cast<double>(time) / 1000, 3);
}

/// Returns the text of a sample's value: a very small or large one has an exponent, which a scalar does not
/// have.
std::string sample_text(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value) || value == 0 || (size >= 1e-6 && size < 1e21)) return go_plain_number(value);
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return {text.data(), end.ptr};
}

void append_point(std::string& out, Timestamp time, double value) {
  out += '[';
  append_time(out, time);
  out += ",\"" + sample_text(value) + "\"]";
}

/// Appends the time of a scalar or a string, whose fraction has no more digits than it needs.
void append_own_time(std::string& out, Timestamp time) {
  out += "[" + go_plain_number(static_cast<double>(time) / 1000);
}

void append_metric(std::string& out, const Metric& metric, Dialect dialect) {
  const Escapes escapes{.html = dialect == Dialect::prometheus2};
  out += "{\"metric\":{";
  const char* separator = "";
  metric.for_each([&](const Label& label) {
    out += separator;
    separator = ",";
    append_string(out, label.first, escapes);
    out += ':';
    append_string(out, label.second, escapes);
  });
  out += '}';
}

void append_vector(std::string& out, const Vector& vector, Dialect dialect) {
  out += '[';
  const char* separator = "";
  for (const Sample& sample : vector) {
    out += separator;
    separator = ",";
    append_metric(out, sample.metric, dialect);
    out += ",\"value\":";
    append_point(out, sample.time, sample.value);
    out += '}';
  }
  out += ']';
}

void append_matrix(std::string& out, const std::vector<SeriesResult>& matrix, Dialect dialect) {
  out += '[';
  const char* separator = "";
  for (const SeriesResult& series : matrix) {
    out += separator;
    separator = ",";
    append_metric(out, series.metric, dialect);
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

void append_result(std::string& out, const Value& value, Dialect dialect) {
  switch (value.type) {
    case ValueType::scalar:
      append_own_time(out, value.time);
      out += ",\"" + go_plain_number(value.scalar) + "\"]";
      break;
    case ValueType::string:
      append_own_time(out, value.time);
      out += ',';
      append_string(out, value.string, {.short_forms = dialect == Dialect::prometheus3});
      out += ']';
      break;
    case ValueType::vector:
      append_vector(out, value.vector, dialect);
      break;
    case ValueType::matrix:
      append_matrix(out, value.matrix, dialect);
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

std::string to_json_text(const QueryResult& result, Dialect dialect) {
  std::string out = "{\"status\":\"success\",\"data\":{\"resultType\":\"" +
                    std::string(to_string(result.value.type)) + "\",\"result\":";
  append_result(out, result.value, dialect);
  out += '}';
  append_texts(out, "warnings", result.warnings);
  append_texts(out, "infos", result.infos);
  return out + "}";
}

std::string to_json_text(const QueryError& error) {
  std::string_view type = "execution";
  if (error.kind == QueryError::Kind::timeout) type = "timeout";
  if (error.kind == QueryError::Kind::cancelled) type = "canceled";
  return error_json_text(type, error.message);
}

std::string error_json_text(std::string_view type, std::string_view message) {
  std::string out = "{\"status\":\"error\",\"errorType\":\"" + std::string(type) + "\",\"error\":";
  append_string(out, message);
  return out + "}";
}

}  // namespace fairway::promql
