// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/script/script_expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/go_text.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

constexpr double tolerance = 0.000001;

bool almost_equal(double a, double b) {
  if (is_stale(a) || is_stale(b)) return is_stale(a) && is_stale(b);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  constexpr double least = std::numeric_limits<double>::min();
  const double sum = std::abs(a) + std::abs(b), difference = std::abs(a - b);
  if (a == 0 || b == 0 || sum < least) return difference < tolerance * least;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < tolerance;
}

std::string check_texts(const char* kind, const std::vector<TextExpectation>& expected,
                        const std::set<std::string>& actual) {
  if (expected.empty()) return {};
  if (actual.empty()) return std::string("expected ") + kind + " annotations, and there are none";
  for (const TextExpectation& wanted : expected) {
    if (std::ranges::none_of(actual, [&](const std::string& text) { return wanted.accepts(text); }))
      return std::string("no ") + kind + " annotation is as expected; the first is: " + *actual.begin();
  }
  for (const std::string& text : actual) {
    if (std::ranges::none_of(expected, [&](const TextExpectation& wanted) { return wanted.accepts(text); }))
      return std::string("unexpected ") + kind + " annotation: " + text;
  }
  return {};
}

}  // namespace

bool TextExpectation::accepts(const std::string& text) const {
  if (message) return *message == text;
  return !pattern || pattern->search(text);
}

bool Expectation::has_histograms() const {
  return std::ranges::any_of(series, [](const SeriesDescription& one) {
    return std::ranges::any_of(one.values, &DescribedValue::histogram);
  });
}

std::string Expectation::check_annotations(const QueryResult& result) const {
  if (warns && result.warnings.empty()) return "expected a warning, and there is none";
  if (informs && result.infos.empty()) return "expected an info, and there is none";
  if (std::string wrong = check_texts("warn", warnings, result.warnings); !wrong.empty()) return wrong;
  if (std::string wrong = check_texts("info", infos, result.infos); !wrong.empty()) return wrong;
  if (no_warnings && !result.warnings.empty()) return "unexpected warning: " + *result.warnings.begin();
  if (no_infos && !result.infos.empty()) return "unexpected info: " + *result.infos.begin();
  return {};
}

std::string Expectation::check_samples(const Vector& samples) const {
  std::unordered_map<Metric, std::size_t, MetricHash> places;
  for (std::size_t i = 0; i < series.size(); ++i) places[Metric(series[i].labels)] = i;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    const std::string shown = sample.metric.to_string() + " " + go_plain_number(sample.value);
    const auto found = places.find(sample.metric);
    if (found == places.end()) return "unexpected " + shown;
    if (ordered && found->second != i) return shown + " stands at place " + std::to_string(i + 1);
    const std::vector<DescribedValue>& values = series[found->second].values;
    if (values.empty() || values[0].omitted || !almost_equal(values[0].value, sample.value))
      return "got " + shown + ", expected " + (values.empty() ? "nothing" : go_plain_number(values[0].value));
  }
  std::set<std::size_t> seen;
  for (const Sample& sample : samples) seen.insert(places[sample.metric]);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (places[Metric(series[i].labels)] == i && !seen.contains(i))
      return "no " + Metric(series[i].labels).to_string() + " in the result";
  }
  return {};
}

std::string Expectation::check_value(const Value& value) const {
  switch (value.type) {
    case ValueType::none:
      return "the query has no value";
    case ValueType::scalar:
      if (!scalar) return "got the scalar " + go_plain_number(value.scalar);
      if (!almost_equal(*scalar, value.scalar))
        return "expected " + go_plain_number(*scalar) + ", got " + go_plain_number(value.scalar);
      return {};
    case ValueType::string:
      if (string.value_or("") != value.string)
        return "expected " + quote(string.value_or("")) + ", got " + quote(value.string);
      return {};
    case ValueType::vector:
      if (scalar) return "expected a scalar, got a vector";
      return check_samples(value.vector);
    case ValueType::matrix:
      break;
  }
  if (scalar) return "expected a scalar, got a matrix";
  std::unordered_map<Metric, const SeriesDescription*, MetricHash> expected;
  for (const SeriesDescription& one : series) expected[Metric(one.labels)] = &one;
  for (const SeriesResult& one : value.matrix) {
    const std::string name = one.metric.to_string();
    const auto found = expected.find(one.metric);
    if (found == expected.end()) return "unexpected series " + name;
    std::size_t at = 0;
    Timestamp time = start;
    for (const DescribedValue& wanted : found->second->values) {
      if (time > end) return "more values of " + name + " are expected than the range has steps";
      if (!wanted.omitted) {
        if (at >= one.points.size() || one.points[at].time != time)
          return name + " has no value at " + std::to_string(time) + " ms";
        if (!almost_equal(wanted.value, one.points[at].value))
          return name + " at " + std::to_string(time) + " ms: expected " + go_plain_number(wanted.value) +
                 ", got " + go_plain_number(one.points[at].value);
        ++at;
      }
      time += step;
    }
    if (at < one.points.size())
      return name + " has an unexpected value at " + std::to_string(one.points[at].time) +
             " ms: " + go_plain_number(one.points[at].value);
    expected.erase(found);
  }
  for (const auto& [metric, description] : expected)
    return "no series " + metric.to_string() + " in the result";
  return {};
}

}  // namespace fairway::promql
