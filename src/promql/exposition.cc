#include "promql/exposition.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/text.h"
#include "promql/go_text.h"
#include "promql/series_description.h"

namespace fairway::promql {

namespace {

/// Milliseconds of a timestamp column.
std::optional<Timestamp> parse_timestamp(std::string_view text) {
  if (text.find('.') != std::string_view::npos) {
    const auto seconds = parse_number(text);
    if (!seconds || !(std::abs(*seconds) < 1e12)) return std::nullopt;
    return static_cast<Timestamp>(std::round(*seconds * 1000));
  }
  Timestamp milliseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return milliseconds;
}

/// What is wrong with a line; empty if nothing is.
std::string read_line(std::string_view line, Timestamp time, SeriesStore& store, ExpositionCount& count) {
  const auto metric = take_metric(line);
  if (!metric) return metric.error();
  if ((*metric)->labels().empty()) return "the sample has neither a name nor labels";
  // What follows a # on the line of a sample is an exemplar.
  line = trim(line.substr(0, line.find('#')));
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const auto value = parse_number(line.substr(0, end));
  if (!value) return "'" + printable(line.substr(0, end), 80) + "' is not a value";
  if (const std::string_view rest = trim(line.substr(end)); !rest.empty()) {
    const auto given = parse_timestamp(rest);
    if (!given) return "'" + printable(rest, 80) + "' is not a timestamp";
    time = *given;
    ++count.dated;
  }
  ++count.samples;
  store.add(*metric, time, *value);
  return {};
}

}  // namespace

Result<ExpositionCount> read_exposition(std::string_view text, Timestamp time, SeriesStore& store) {
  ExpositionCount count;
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (std::string wrong = read_line(line, time, store, count); !wrong.empty())
      return fail(ErrorCode::invalid, "line " + std::to_string(number) + ": " + wrong);
  }
  return count;
}

}  // namespace fairway::promql
