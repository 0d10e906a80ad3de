// How many series each metric was seen with: what the cost of a query is counted with.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::promql {

/// Filled by readers of series, and read by the guard, from any thread. Remembers 10,000 metrics.
class SeriesSeen {
 public:
  /// The metric has this many series now.
  void note(std::string_view metric, std::uint64_t series);
  /// The metric has at least this many series: not all were asked for.
  void note_at_least(std::string_view metric, std::uint64_t series);
  /// std::nullopt: the metric was never seen.
  std::optional<std::uint64_t> of(std::string_view metric) const;

 private:
  std::uint64_t& entry(std::string_view metric);

  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> series_;
};

}  // namespace fairway::promql
