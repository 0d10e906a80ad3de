// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/engine/exposition_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "promql/internal/parser/go_float.h"
#include "promql/parser/matcher.h"

namespace fairway::promql {

namespace {

/// Largest time in milliseconds, in the year 33658. Times further away are invalid, and sums of two of them
/// could overflow.
constexpr Timestamp last_timestamp = 1'000'000'000'000'000;

/// Reads a timestamp column, in milliseconds.
std::optional<Timestamp> parse_timestamp(std::string_view text) {
  if (text.find('.') != std::string_view::npos) {
    const auto seconds = parse_go_float(text);
    if (!seconds || !(std::abs(*seconds) < 1e12)) return std::nullopt;
    return static_cast<Timestamp>(std::round(*seconds * 1000));
  }
  Timestamp milliseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return milliseconds;
}

/// Reads names and labels off the front of a line, as Prometheus's text parser does: by other rules than
/// those of queries.
class MetricReader {
 public:
  explicit MetricReader(std::string_view& line) : rest_(line) {}

  std::expected<LabelsRef, std::string> read() {
    if (!rest_.starts_with('{')) {
      const std::size_t end = std::min(rest_.find_first_of(" \t{"), rest_.size());
      if (!is_plain_metric_name(rest_.substr(0, end)))
        return wrong(shown(rest_.substr(0, end)) + " is not a metric name");
      labels_.emplace_back(metric_name_label, rest_.substr(0, end));
      rest_.remove_prefix(end);
      skip_blanks();
    }
    if (rest_.starts_with('{')) {
      rest_.remove_prefix(1);
      for (;;) {
        skip_blanks();
        if (take('}')) break;
        if (auto fault = read_label()) return std::unexpected(*std::move(fault));
        skip_blanks();
        if (take('}')) break;
        if (!take(','))
          return wrong("there is no comma or } behind the label '" + printable(labels_.back().first, 80) +
                       "'");
      }
    }
    std::ranges::sort(labels_, {}, &Label::first);
    const auto twice = std::ranges::adjacent_find(labels_, {}, &Label::first);
    if (twice != labels_.end())
      return wrong("the label '" + printable(twice->first, 80) + "' stands there twice");
    return LabelSet::make(std::move(labels_));
  }

 private:
  static std::unexpected<std::string> wrong(std::string why) { return std::unexpected(std::move(why)); }
  static std::string shown(std::string_view text) { return "'" + printable(text, 80) + "'"; }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Reads a quoted text. A backslash before a backslash, a quote or an n is an escape; before anything else
  /// it stands for itself.
  std::optional<std::string> take_quoted() {
    std::string out;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return out;
      }
      if (c != '\\') {
        out += c;
        continue;
      }
      if (++i == rest_.size()) break;
      if (rest_[i] == 'n') {
        out += '\n';
      } else {
        if (rest_[i] != '"' && rest_[i] != '\\') out += '\\';
        out += rest_[i];
      }
    }
    return std::nullopt;
  }

  /// Reads a label, or a metric's name in quotes. Returns what is wrong with it; std::nullopt if nothing is.
  std::optional<std::string> read_label() {
    const bool quoted = rest_.starts_with('"');
    std::string name;
    if (quoted) {
      auto text = take_quoted();
      if (!text) return "a name in quotes does not end";
      if (!is_utf8(*text)) return "a name is not UTF-8";
      name = *std::move(text);
    } else {
      std::size_t end = 0;
      const auto may_follow = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      };
      while (end < rest_.size() && may_follow(rest_[end])) ++end;
      if (!is_plain_label_name(rest_.substr(0, end))) end = 0;
      if (end == 0) return "unexpected " + shown(rest_.substr(0, 20)) + " where a label should be";
      name = rest_.substr(0, end);
      rest_.remove_prefix(end);
    }
    skip_blanks();
    if (quoted && (rest_.starts_with(',') || rest_.starts_with('}'))) {
      labels_.emplace_back(metric_name_label, std::move(name));
      return std::nullopt;
    }
    const bool equals = take('=');
    skip_blanks();
    if (!equals || !rest_.starts_with('"')) return "the label " + shown(name) + " needs =\"value\"";
    auto value = take_quoted();
    if (!value) return "the value of the label " + shown(name) + " does not end";
    if (!is_utf8(*value)) return "the value of the label " + shown(name) + " is not UTF-8";
    labels_.emplace_back(std::move(name), *std::move(value));
    return std::nullopt;
  }

  std::string_view& rest_;
  std::vector<Label> labels_;
};

}  // namespace

std::expected<LabelsRef, std::string> take_series(std::string_view& line) {
  return MetricReader(line).read();
}

std::expected<Timestamp, std::string> read_timestamp(std::string_view text) {
  const auto given = parse_timestamp(text);
  if (!given) return std::unexpected("'" + printable(text, 80) + "' is not a timestamp");
  if (*given > last_timestamp || *given < -last_timestamp) {
    return std::unexpected("the timestamp " + printable(text, 80) +
                           " is too far away: it is milliseconds since 1970, at most 1e15");
  }
  return *given;
}

}  // namespace fairway::promql
