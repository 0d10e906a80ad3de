// SPDX-License-Identifier: Apache-2.0

// The number of series that each metric was seen with, from which the cost of a query is computed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::promql {

/// Numbers of series by metric. Filled by readers of series, and read by the guard, from any thread.
/// Remembers 10,000 metrics.
class SeriesSeen {
 public:
  /// Records that the metric has this many series now.
  void record(std::string_view metric, std::uint64_t series);
  /// Records that the metric has at least this many series: not all were requested.
  void record_at_least(std::string_view metric, std::uint64_t series);
  /// Returns the number of series; std::nullopt: the metric was never seen.
  std::optional<std::uint64_t> of(std::string_view metric) const;

 private:
  std::uint64_t& entry(std::string_view metric);

  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> series_;
};

}  // namespace fairway::promql
