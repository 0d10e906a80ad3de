// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/script/series_description.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/text.h"
#include "promql/internal/parser/lexer.h"
#include "promql/parser/go_text.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

constexpr std::size_t most_values = 1'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes a number with its sign off the front of `text`; not hexadecimal, as `x` means repetition.
std::optional<double> take_number(std::string_view& text) {
  std::size_t end = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const std::string word = to_lower(text.substr(end, 3));
  if (word == "inf" || word == "nan") {
    end += 3;
  } else {
    const std::size_t begin = end;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    if (end == begin) return std::nullopt;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
      if (exponent < text.size() && is_digit(text[exponent])) {
        end = exponent;
        while (end < text.size() && is_digit(text[end])) ++end;
      }
    }
  }
  const auto value = parse_number(text.substr(0, end));
  if (!value) return std::nullopt;
  text.remove_prefix(end);
  return *value;
}

/// Takes the count after `x` off the front of `text`.
std::optional<std::size_t> take_count(std::string_view& text) {
  std::size_t count = 0;
  if (!text.starts_with('x')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), count);
  if (error != std::errc{} || count > most_values) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return count;
}

/// Adds one item of the sequence; false if it is not valid.
bool add_item(std::string_view item, std::vector<DescribedValue>& values) {
  if (item == "stale") {
    values.push_back({stale_marker(), false, false});
    return true;
  }
  if (item.starts_with('_')) {
    item.remove_prefix(1);
    const std::size_t count = item.empty() ? 1 : take_count(item).value_or(0);
    if (!item.empty() || count == 0) return false;
    values.insert(values.end(), count, {0, true, false});
    return true;
  }
  auto value = take_number(item);
  if (!value) return false;
  double change = 0;
  if (item.starts_with('+') || item.starts_with('-')) {
    const auto step = take_number(item);
    if (!step || !item.starts_with('x')) return false;
    change = *step;
  }
  std::size_t count = 0;
  if (!item.empty()) {
    const auto repeated = take_count(item);
    if (!repeated || !item.empty()) return false;
    count = *repeated;
  }
  // The first value is written beside the count of those that follow.
  for (std::size_t i = 0; i <= count; ++i) {
    values.push_back({*value, false, false});
    *value += change;
  }
  return true;
}

/// Adds a native histogram and its repetitions: `{{...}}x3`, `{{...}}+{{...}}x3`.
bool add_histograms(std::string_view& rest, std::vector<DescribedValue>& values) {
  const std::size_t close = rest.find("}}");
  if (close == std::string_view::npos) return false;
  rest.remove_prefix(close + 2);
  if ((rest.starts_with('+') || rest.starts_with('-')) && rest.substr(1).starts_with("{{")) {
    const std::size_t second = rest.find("}}");
    if (second == std::string_view::npos) return false;
    rest.remove_prefix(second + 2);
  }
  std::size_t count = 0;
  if (rest.starts_with('x')) {
    const auto repeated = take_count(rest);
    if (!repeated) return false;
    count = *repeated;
  }
  values.insert(values.end(), count + 1, {0, false, true});
  return true;
}

}  // namespace

std::expected<LabelsRef, std::string> take_metric(std::string_view& line) {
  std::vector<Label> labels;
  std::size_t end = 0;
  if (!line.starts_with('{')) {
    end = std::min(line.find_first_of(" \t{"), line.size());
    labels.emplace_back(metric_name_label, line.substr(0, end));
    if (!is_plain_metric_name(labels.back().second))
      return std::unexpected("'" + printable(line.substr(0, end), 80) + "' is not a metric name");
  }
  if (end < line.size() && line[end] == '{') {
    Lexer lexer(line.substr(end), Dialect::prometheus3);
    lexer.next();
    for (Token token = lexer.next(); token.kind != TokenKind::right_brace; token = lexer.next()) {
      if (token.kind == TokenKind::comma && !labels.empty()) continue;
      const bool quoted = token.kind == TokenKind::string;
      if (!quoted && token.kind != TokenKind::identifier)
        return std::unexpected(token.kind == TokenKind::error ? token.text : "unexpected " + describe(token));
      const std::string name = quoted ? unquote(token.text).value_or("") : token.text;
      Lexer ahead = lexer;
      if (quoted && ahead.next().kind != TokenKind::equals) {
        labels.emplace_back(metric_name_label, name);
        continue;
      }
      const Token equals = lexer.next(), value = lexer.next();
      if (equals.kind != TokenKind::equals || value.kind != TokenKind::string)
        return std::unexpected("the label '" + printable(name, 80) + "' needs =\"value\"");
      auto text = unquote(value.text);
      if (!text) return std::unexpected(text.error());
      labels.emplace_back(name, std::move(*text));
    }
    end += lexer.position();
  }
  std::ranges::sort(labels, {}, &Label::first);
  const auto twice = std::ranges::adjacent_find(labels, {}, &Label::first);
  if (twice != labels.end())
    return std::unexpected("the label '" + printable(twice->first, 80) + "' stands there twice");
  line.remove_prefix(end);
  return LabelSet::make(std::move(labels));
}

std::expected<SeriesDescription, std::string> parse_series_description(std::string_view line) {
  line = trim(line);
  auto labels = take_metric(line);
  if (!labels) return std::unexpected(labels.error());
  SeriesDescription result{*labels, {}};
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return result;
    line.remove_prefix(begin);
    if (line.starts_with("{{")) {
      if (!add_histograms(line, result.values)) return std::unexpected("a native histogram is not complete");
      continue;
    }
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    if (!add_item(line.substr(0, end), result.values))
      return std::unexpected("'" + printable(line.substr(0, end), 80) + "' is not a series value");
    if (result.values.size() > most_values) return std::unexpected("a series has more than 1,000,000 values");
    line.remove_prefix(end);
  }
}

}  // namespace fairway::promql
