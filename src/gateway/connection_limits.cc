// SPDX-License-Identifier: Apache-2.0

#include "gateway/connection_limits.h"

#include <algorithm>

namespace fairway::gateway {

std::uint32_t client_connections_limit(std::uint32_t asked, std::uint64_t descriptors) {
  const std::uint64_t reserve = std::min<std::uint64_t>(1'000, descriptors / 4);
  const std::uint64_t fitting = (descriptors - reserve) / 2;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, asked));
}

}  // namespace fairway::gateway
