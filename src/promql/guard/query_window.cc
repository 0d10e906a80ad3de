// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/query_window.h"

#include <algorithm>
#include <optional>

namespace fairway::promql {

namespace {

void collect_selectors(const Expression& expression, std::vector<const VectorSelector*>& selectors) {
  if (const auto* selector = std::get_if<VectorSelector>(&expression.node)) selectors.push_back(selector);
  for_each_child(expression, [&](const Expression& child) { collect_selectors(child, selectors); });
}

/// Returns the time of the last sample of a metric; std::nullopt if there is none, or if one is inside the
/// window.
std::optional<Timestamp> last_outside_window(const Matcher& name, const SeriesStore& series,
                                             const QueryWindow& window) {
  std::optional<Timestamp> last;
  for (const Series* one : series.select({name})) {
    if (one->points.empty()) continue;
    last = std::max(last.value_or(one->points.back().time), one->points.back().time);
    const auto first = std::ranges::lower_bound(
        one->points, window.start - window.reach.count() - window.lookback.count(), {}, &Point::time);
    // An offset may look forward as well.
    if (first != one->points.end() && first->time <= window.end + window.reach.count()) return std::nullopt;
  }
  return last;
}

}  // namespace

std::vector<const VectorSelector*> selectors_of(const Expression& expression) {
  std::vector<const VectorSelector*> selectors;
  collect_selectors(expression, selectors);
  return selectors;
}

bool has_fixed_time(const Expression& expression) {
  const auto fixed = [](const TimeShift& time) { return time.anchor == TimeShift::Anchor::timestamp; };
  if (const auto* selector = std::get_if<VectorSelector>(&expression.node)) return fixed(selector->time);
  const auto* subquery = std::get_if<Subquery>(&expression.node);
  bool found = subquery != nullptr && fixed(subquery->time);
  for_each_child(expression, [&](const Expression& child) { found = found || has_fixed_time(child); });
  return found;
}

std::chrono::milliseconds reach_of(const Cost& cost) {
  constexpr std::uint64_t longest = std::uint64_t{100} * 365 * 86'400;
  return std::chrono::seconds(static_cast<std::int64_t>(std::min(cost.range_seconds, longest)));
}

std::map<std::string, Timestamp> metrics_outside_window(const Expression& expression,
                                                        const SeriesStore& series,
                                                        const QueryWindow& window) {
  std::map<std::string, Timestamp> found;
  if (has_fixed_time(expression)) return found;
  for (const VectorSelector* selector : selectors_of(expression)) {
    for (const Matcher& matcher : selector->matchers) {
      if (matcher.name() != metric_name_label || matcher.kind() != Matcher::Kind::equal) continue;
      if (const auto last = last_outside_window(matcher, series, window)) found[matcher.value()] = *last;
    }
  }
  return found;
}

}  // namespace fairway::promql
