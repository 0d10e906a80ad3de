// SPDX-License-Identifier: Apache-2.0

// Arithmetic of sizes and costs between two bounds, which stays at the largest uint64 instead of wrapping
// around.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cel/cost/estimate.h"

namespace fairway::cel {

inline constexpr std::uint64_t unbounded = UINT64_MAX;

inline std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a > unbounded - b ? unbounded : a + b;
}
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > unbounded / b ? unbounded : a * b;
}
inline std::uint64_t scaled(std::uint64_t size, double factor) {
  const double product = std::ceil(static_cast<double>(size) * factor);
  return product >= 18446744073709551616.0 ? unbounded : static_cast<std::uint64_t>(product);
}

/// A range of sizes. Sizes and costs have the same arithmetic.
using SizeRange = CostEstimate;

inline CostEstimate exactly(std::uint64_t value) {
  return {value, value};
}
inline CostEstimate operator+(CostEstimate a, CostEstimate b) {
  return {plus(a.min, b.min), plus(a.max, b.max)};
}
inline CostEstimate operator*(CostEstimate a, CostEstimate b) {
  return {times(a.min, b.min), times(a.max, b.max)};
}
inline CostEstimate operator*(CostEstimate a, double factor) {
  return {scaled(a.min, factor), scaled(a.max, factor)};
}
/// Returns the smallest range that contains both.
inline CostEstimate united(CostEstimate a, CostEstimate b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace fairway::cel
