// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/engine/annotations.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "base/clock.h"
#include "base/go_text.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

std::string rfc3339(Timestamp time) {
  return format_time(
      WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::milliseconds(time))));
}

/// Formats a number as Go's %.2g.
std::string two_digits(double value) {
  std::array<char, 32> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.2g", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string Annotations::at(const Place& place) const {
  return " (" + position_text(query_, place.shown.start) + ")";
}

/// Replaces a place by another one that is evaluated later: an expression after its parts, the right side
/// after the left.
void Annotations::move_to_last(Place& place, const Place& other) {
  const bool around = other.whole.start <= place.whole.start && place.whole.end <= other.whole.end;
  if (around || other.whole.start >= place.whole.end) place = other;
}

/// Replaces a place by another one that is evaluated earlier.
void Annotations::move_to_first(Place& place, const Place& other) {
  Place later = other;
  move_to_last(later, place);
  if (later.whole.start == place.whole.start && later.whole.end == place.whole.end) place = other;
}

bool Annotations::has_room_for(const std::string& text) {
  // They quote labels, which the query may make as long and as many as it likes.
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  if (text.size() > most_bytes - bytes_) return false;
  bytes_ += text.size();
  return true;
}

void Annotations::add(Texts& texts, std::string text, const Place& place) {
  if (!enabled_) return;
  auto found = texts.find(text);
  if (found == texts.end()) {
    if (!has_room_for(text)) return;
    found = texts.emplace(std::move(text), place).first;
  }
  move_to_last(found->second, place);
}

void Annotations::invalid_quantile(double quantile, const Place& place) {
  add(warnings_, "PromQL warning: quantile value should be between 0 and 1, got " + go_number(quantile),
      place);
}

void Annotations::quantile_parameter(double quantile, const Place& place) {
  if (!enabled_ || (quantile >= 0 && quantile <= 1)) return;
  Extremes& extremes = quantiles_.try_emplace(place.shown.start, Extremes{place}).first->second;
  extremes.not_a_number = extremes.not_a_number || std::isnan(quantile);
  extremes.smallest = std::fmin(extremes.smallest, quantile);
  extremes.largest = std::fmax(extremes.largest, quantile);
}

void Annotations::bad_bucket_label(std::string_view metric, std::string_view label, const Place& place) {
  std::string text =
      "PromQL warning: bucket label \"le\" is missing or has a malformed value of " + quote(label);
  if (!metric.empty()) text += " for metric name " + quote(metric);
  add(warnings_, std::move(text), place);
}

void Annotations::possible_non_counter(std::string_view metric, const Place& place) {
  add(infos_,
      "PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: " +
          quote(metric),
      place);
}

void Annotations::incompatible_operands(std::string_view op, Span span) {
  add(infos_,
      "PromQL info: incompatible sample types encountered for binary operator " + quote(op) + ": float " +
          std::string(op) + " float",
      {span, span});
}

void Annotations::sort_in_range_query(Span span) {
  add(warnings_,
      "PromQL warning: sort is ineffective for range queries since results are always ordered by labels",
      {span, span});
}

void Annotations::forced_monotonicity(std::string_view metric, const Place& place, Timestamp time,
                                      double first, double last, double difference) {
  if (!enabled_) return;
  std::string text =
      "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
      "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";
  if (!metric.empty()) text += " for metric name " + quote(metric);
  if (!forced_.contains(text) && !has_room_for(text)) return;
  const auto [found, is_new] =
      forced_.try_emplace(std::move(text), Forced{place, time, time, first, last, difference, 1});
  if (is_new) return;
  Forced& all = found->second;
  move_to_first(all.place, place);
  all.from = std::min(all.from, time);
  all.to = std::max(all.to, time);
  all.first = std::min(all.first, first);
  all.last = std::max(all.last, last);
  all.difference = std::max(all.difference, difference);
  ++all.count;
}

std::set<std::string> Annotations::warnings() const {
  Annotations all = *this;
  for (const auto& [start, extremes] : quantiles_) {
    if (extremes.not_a_number) {
      all.invalid_quantile(std::numeric_limits<double>::quiet_NaN(), extremes.place);
      continue;
    }
    if (extremes.largest > 1) all.invalid_quantile(extremes.largest, extremes.place);
    if (extremes.smallest < 0) all.invalid_quantile(extremes.smallest, extremes.place);
  }
  std::set<std::string> result;
  for (const auto& [text, place] : all.warnings_) result.insert(text + at(place));
  return result;
}

std::set<std::string> Annotations::infos() const {
  std::set<std::string> result;
  for (const auto& [text, place] : infos_) result.insert(text + at(place));
  for (const auto& [text, all] : forced_) {
    result.insert(text + ", from buckets " + go_number(all.first) + " to " + go_number(all.last) +
                  ", with a max diff of " + two_digits(all.difference) + ", over " +
                  std::to_string(all.count) + " samples from " + rfc3339(all.from) + " to " +
                  rfc3339(all.to) + at(all.place));
  }
  return result;
}

}  // namespace fairway::promql
