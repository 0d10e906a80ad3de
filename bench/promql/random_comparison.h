// Random queries, here and by Prometheus's engine.
#pragma once

#include <cstdint>
#include <string>

namespace fairway::bench {

/// Asks `count` random queries of the default dialect, each at one time and over a range, prints what is
/// different and how many are; gives 1 if any is.
int compare_random(const std::string& program, std::uint64_t count, std::uint64_t seed);

}  // namespace fairway::bench
