#include "promql/annotations.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "base/clock.h"
#include "promql/go_text.h"

namespace fairway::promql {

namespace {

std::string rfc3339(Timestamp time) {
  return format_time(
      WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::milliseconds(time))));
}

/// Go's %.2g.
std::string two_digits(double value) {
  std::array<char, 32> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.2g", value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

std::string Annotations::at(Span span) const {
  return " (" + position_text(query_, span.start) + ")";
}

void Annotations::invalid_quantile(double quantile, Span span) {
  if (enabled_)
    warnings_.insert("PromQL warning: quantile value should be between 0 and 1, got " +
                     format_number_short(quantile) + at(span));
}

void Annotations::bad_bucket_label(std::string_view metric, std::string_view label, Span span) {
  if (!enabled_) return;
  std::string text =
      "PromQL warning: bucket label \"le\" is missing or has a malformed value of " + quote(label);
  if (!metric.empty()) text += " for metric name " + quote(metric);
  warnings_.insert(text + at(span));
}

void Annotations::possible_non_counter(std::string_view metric, Span span) {
  if (enabled_)
    infos_.insert(
        "PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: " +
        quote(metric) + at(span));
}

void Annotations::incompatible_operands(std::string_view op, Span span) {
  if (enabled_)
    infos_.insert("PromQL info: incompatible sample types encountered for binary operator " + quote(op) +
                  ": float " + std::string(op) + " float" + at(span));
}

void Annotations::sort_in_range_query() {
  if (enabled_)
    warnings_.insert(
        "PromQL warning: sort is ineffective for range queries since results are always ordered by labels");
}

void Annotations::forced_monotonicity(std::string_view metric, Span span, Timestamp time, double first,
                                      double last, double difference) {
  if (!enabled_) return;
  std::string text =
      "PromQL info: input to histogram_quantile needed to be fixed for monotonicity (see "
      "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)";
  if (!metric.empty()) text += " for metric name " + quote(metric);
  const auto [found, is_new] =
      forced_.try_emplace(text + at(span), Forced{span, time, time, first, last, difference, 1});
  if (is_new) return;
  Forced& all = found->second;
  all.from = std::min(all.from, time);
  all.to = std::max(all.to, time);
  all.first = std::min(all.first, first);
  all.last = std::max(all.last, last);
  all.difference = std::max(all.difference, difference);
  ++all.count;
}

std::set<std::string> Annotations::infos() const {
  std::set<std::string> result = infos_;
  for (const auto& [key, all] : forced_) {
    const std::string place = at(all.span);
    result.insert(key.substr(0, key.size() - place.size()) + ", from buckets " +
                  format_number_short(all.first) + " to " + format_number_short(all.last) +
                  ", with a max diff of " + two_digits(all.difference) + ", over " +
                  std::to_string(all.count) + " samples from " + rfc3339(all.from) + " to " +
                  rfc3339(all.to) + place);
  }
  return result;
}

}  // namespace fairway::promql
