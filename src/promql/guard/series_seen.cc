// SPDX-License-Identifier: Apache-2.0

#include "promql/guard/series_seen.h"

#include <algorithm>
#include <cstddef>

namespace fairway::promql {

std::uint64_t& SeriesSeen::entry(std::string_view metric) {
  constexpr std::size_t most_metrics = 10'000;
  const auto found = series_.find(metric);
  if (found != series_.end()) return found->second;
  if (series_.size() >= most_metrics) series_.clear();  // they are seen again
  return series_.emplace(metric, 0).first->second;
}

void SeriesSeen::record(std::string_view metric, std::uint64_t series) {
  const std::scoped_lock lock(mutex_);
  entry(metric) = series;
}

void SeriesSeen::record_at_least(std::string_view metric, std::uint64_t series) {
  const std::scoped_lock lock(mutex_);
  std::uint64_t& known = entry(metric);
  known = std::max(known, series);
}

std::optional<std::uint64_t> SeriesSeen::of(std::string_view metric) const {
  const std::scoped_lock lock(mutex_);
  const auto found = series_.find(metric);
  if (found == series_.end()) return std::nullopt;
  return found->second;
}

}  // namespace fairway::promql
