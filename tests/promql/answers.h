// SPDX-License-Identifier: Apache-2.0

// Answers as Prometheus's HTTP API gives them, and what is different between two.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <expected>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/go_text.h"
#include "base/json.h"
#include "base/text.h"
#include "promql/engine/engine.h"
#include "promql/engine/result_json.h"
#include "promql/parser/go_text.h"
#include "promql/parser/parser.h"

namespace fairway::promql::testing {

struct Answer {
  struct Series {
    std::string metric;
    std::vector<Point> points;
  };
  /// Type and message: "execution", "bad_data"; empty if there is a result.
  std::string error_type, error;
  std::string type;
  std::string text;  ///< value of a string
  std::vector<Series> series;
  std::set<std::string> warnings, infos;

  bool empty() const { return error_type.empty() && series.empty() && text.empty(); }
};

namespace details {

inline Point point_of(const json::Value& pair) {
  const auto& both = pair.as_array();
  const double seconds = both.at(0).to_number<double>();
  return {static_cast<Timestamp>(std::llround(seconds * 1000)),
          parse_number(std::string_view(both.at(1).as_string())).value()};
}

/// Returns a label value without its last digits: count_values() makes labels of numbers, so only as many
/// digits are compared as of values.
inline std::string without_last_digits(std::string_view value) {
  constexpr std::size_t digits = 15;
  const auto number = value.size() < digits ? std::unexpected(std::string()) : parse_number(value);
  if (!number || !std::isfinite(*number)) return std::string(value);
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number, std::chars_format::scientific, 7);
  return {buffer.data(), end.ptr};
}

/// Returns a text whose words are shortened like label values.
inline std::string without_last_digits_of_words(std::string_view text) {
  std::string result;
  for (const std::string_view word : split(text, ' '))
    result += (result.empty() ? "" : " ") + without_last_digits(word);
  return result;
}

inline std::string metric_of(const json::Value& labels) {
  std::vector<Label> all;
  for (const auto& [name, value] : labels.as_object())
    all.emplace_back(name, without_last_digits(value.as_string()));
  return Metric(LabelSet::make(std::move(all))).to_string();
}

inline std::set<std::string> texts_of(const json::Value& reply, std::string_view key) {
  std::set<std::string> result;
  if (const json::Value* texts = json::find(reply, key)) {
    for (const json::Value& text : texts->as_array()) result.emplace(text.as_string());
  }
  return result;
}

}  // namespace details

/// Reads a reply {"status":...}.
inline Answer read_answer(const json::Value& reply) {
  Answer answer;
  answer.warnings = details::texts_of(reply, "warnings");
  answer.infos = details::texts_of(reply, "infos");
  if (json::find_string(reply, "status") != "success") {
    answer.error_type = json::find_string(reply, "errorType").value_or("none");
    answer.error = details::without_last_digits_of_words(json::find_string(reply, "error").value_or(""));
    return answer;
  }
  const json::Value& data = *json::find(reply, "data");
  answer.type = json::find_string(data, "resultType").value();
  const json::Array& result = json::find(data, "result")->as_array();
  if (answer.type == "string") {
    answer.text = result.at(1).as_string();
  } else if (answer.type == "scalar") {
    answer.series.push_back({"", {details::point_of(result)}});
  } else {
    for (const json::Value& one : result) {
      Answer::Series series{details::metric_of(*json::find(one, "metric")), {}};
      if (const json::Value* value = json::find(one, "value")) {
        series.points.push_back(details::point_of(*value));
      } else {
        for (const json::Value& point : json::find(one, "values")->as_array())
          series.points.push_back(details::point_of(point));
      }
      answer.series.push_back(std::move(series));
    }
  }
  return answer;
}

/// The evaluation time of a query: `start` if `step` is 0, else a range.
struct When {
  Timestamp start = 0, end = 0, step = 0;
};

/// Returns the answer of the engine, through the JSON that the program prints.
inline Answer evaluate(const std::string& query, const When& when, const SeriesStore& store,
                       const EngineOptions& options) {
  const auto parsed = parse(query, options.dialect);
  Answer refused{.error_type = "bad_data"};
  if (!parsed) {
    refused.error = details::without_last_digits_of_words(to_string(parsed.error(), query, options.dialect));
    return refused;
  }
  if (when.step > 0 && (*parsed)->type != ValueType::scalar && (*parsed)->type != ValueType::vector) {
    refused.error =
        range_query(**parsed, query, store, when.start, when.end, when.step, options).error().message;
    return refused;
  }
  const auto result = when.step > 0
                          ? range_query(**parsed, query, store, when.start, when.end, when.step, options)
                          : instant_query(**parsed, query, store, when.start, options);
  return read_answer(json::parse(result ? to_json_text(*result) : to_json_text(result.error())).value());
}

/// Returns whether two values are the same except for their last digits, which depend on the order of
/// addition and on the mathematical functions of the language. A difference of large numbers, as in stddev(),
/// shows more of them.
inline bool same_value(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return std::signbit(a) == std::signbit(b);
  return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b));
}

/// Returns the difference in one line; empty if there is none. The order of series matters if the query sorts
/// them: then the values must come in the same order.
inline std::string difference(const Answer& theirs, const Answer& ours, bool ordered) {
  const auto shown = [](const Answer& answer) {
    return answer.error_type.empty() ? answer.type + " of " + std::to_string(answer.series.size())
                                     : answer.error_type + ": " + answer.error;
  };
  if (theirs.error_type != ours.error_type || theirs.error != ours.error || theirs.type != ours.type ||
      theirs.text != ours.text)
    return "theirs: " + shown(theirs) + "; ours: " + shown(ours);
  const auto sorted = [](std::vector<Answer::Series> series) {
    std::ranges::stable_sort(series, {}, &Answer::Series::metric);
    return series;
  };
  const auto left = sorted(theirs.series), right = sorted(ours.series);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    if (i >= right.size() || (i < left.size() && left[i].metric < right[i].metric))
      return "only theirs: " + left[i].metric;
    if (i >= left.size() || left[i].metric != right[i].metric) return "only ours: " + right[i].metric;
    const auto &a = left[i].points, &b = right[i].points;
    for (std::size_t j = 0; j < std::max(a.size(), b.size()); ++j) {
      const auto at = [](const Point& point) {
        return go_plain_number(point.value) + " at " + std::to_string(point.time);
      };
      if (j >= a.size() || j >= b.size() || a[j].time != b[j].time || !same_value(a[j].value, b[j].value))
        return left[i].metric + ": theirs: " + (j < a.size() ? at(a[j]) : "nothing") +
               "; ours: " + (j < b.size() ? at(b[j]) : "nothing");
    }
  }
  for (std::size_t i = 0; ordered && i < theirs.series.size(); ++i) {
    const double left_value = theirs.series[i].points.at(0).value,
                 right_value = ours.series[i].points.at(0).value;
    if (left_value != right_value && !same_value(left_value, right_value))
      return "another order, from number " + std::to_string(i);
  }
  return "";
}

namespace details {

/// Returns an annotation without the counts that are known to differ (docs/promql-compatibility.md).
inline std::string comparable(std::string text) {
  const std::size_t count = text.find(", over "), samples = text.find(" samples from ");
  if (count != std::string::npos && samples != std::string::npos) text.erase(count, samples - count);
  return without_last_digits_of_words(text);
}

}  // namespace details

/// Returns the differences between the warnings and infos of two answers, a line each.
inline std::string annotation_difference(const Answer& theirs, const Answer& ours) {
  std::string lines;
  const auto compare = [&](const std::set<std::string>& left, const std::set<std::string>& right) {
    std::set<std::string> a, b, different;
    for (const std::string& text : left) a.insert(details::comparable(text));
    for (const std::string& text : right) b.insert(details::comparable(text));
    std::ranges::set_symmetric_difference(a, b, std::inserter(different, different.end()));
    for (const std::string& text : different)
      lines += std::string(lines.empty() ? "" : "\n  ") +
               (a.contains(text) ? "only theirs: " : "only ours: ") + text;
  };
  compare(theirs.warnings, ours.warnings);
  compare(theirs.infos, ours.infos);
  return lines;
}

/// Returns whether a query's result has an order.
inline bool is_sorted(const std::string& query, Dialect dialect) {
  const auto parsed = parse(query, dialect);
  if (!parsed) return false;
  const auto* call = std::get_if<Call>(&without_parens(**parsed).node);
  return call != nullptr && (call->function->name == "sort" || call->function->name == "sort_desc");
}

}  // namespace fairway::promql::testing
