// SPDX-License-Identifier: Apache-2.0

#include "gateway/connection_limits.h"

#include <gtest/gtest.h>

#include <limits>

namespace fairway::gateway {
namespace {

TEST(ConnectionLimits, OfClientsFitIntoTheDescriptorsTwice) {
  EXPECT_EQ(client_connections_limit(100'000, 1'048'576), 100'000U) << "what is asked for is enough";
  EXPECT_EQ(client_connections_limit(8'000, 1'048'576), 8'000U);
  EXPECT_EQ(client_connections_limit(100'000, 20'000), 9'500U);
  EXPECT_EQ(client_connections_limit(100'000, 4'000), 1'500U);
  EXPECT_EQ(client_connections_limit(100'000, 1'024), 384U);
  EXPECT_EQ(client_connections_limit(100'000, 0), 1U);
  // RLIM_INFINITY.
  EXPECT_EQ(client_connections_limit(100'000, std::numeric_limits<std::uint64_t>::max()), 100'000U);
}

}  // namespace
}  // namespace fairway::gateway
