// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/exposition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.h"
#include "promql/internal/engine/exposition_line.h"
#include "promql/internal/parser/go_float.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

/// Parses the value of a sample. Prometheus accepts decimal numbers only, not everything that ParseFloat
/// takes.
std::optional<double> parse_value(std::string_view text) {
  if (text.find_first_of("pP_") != std::string_view::npos) return std::nullopt;
  return parse_go_float(text);
}

bool same(double a, double b) {
  return a == b || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Reads a line into the store. Returns what is wrong with it; empty if nothing is.
std::string read_line(std::string_view line, Timestamp time, SeriesStore& store,
                      const std::function<bool(std::string_view metric)>& wanted, ExpositionCount& count) {
  const auto metric = take_series(line);
  if (!metric) return metric.error();
  if ((*metric)->labels().empty()) return "the sample has neither a name nor labels";
  // Text after a # on the line of a sample is an exemplar.
  line = trim(line.substr(0, line.find('#')));
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const auto value = parse_value(line.substr(0, end));
  if (!value) return "'" + printable(line.substr(0, end), 80) + "' is not a value";
  if (const std::string_view rest = trim(line.substr(end)); !rest.empty()) {
    const auto given = read_timestamp(rest);
    if (!given) return given.error();
    time = *given;
    ++count.dated;
  }
  ++count.samples;
  if (wanted && !wanted((*metric)->get(metric_name_label))) return {};
  if (const auto before = store.value_at(*metric, time); before && !same(*before, *value)) {
    return "the series " + printable(Metric(*metric).to_string(), 200) +
           " stands there twice, with two values for one time";
  }
  store.add(*metric, time, *value);
  return {};
}

}  // namespace

Result<ExpositionCount> read_exposition(std::string_view text, Timestamp time, SeriesStore& store,
                                        const std::function<bool(std::string_view metric)>& wanted) {
  ExpositionCount count;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (std::string wrong = read_line(line, time, store, wanted, count); !wrong.empty())
      return fail(ErrorCode::invalid, "line " + std::to_string(number) + ": " + wrong);
  }
  return count;
}

}  // namespace fairway::promql
