// SPDX-License-Identifier: Apache-2.0

// Random queries, here and by Prometheus's engine.
#pragma once

#include <cstdint>
#include <string>

namespace fairway::bench {

/// Asks `count` random queries of the default dialect, each at one time and over a range. Prints the
/// differences and their number. Returns 1 if there are any.
int compare_random(const std::string& program, std::uint64_t count, std::uint64_t seed);

}  // namespace fairway::bench
