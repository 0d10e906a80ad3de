// SPDX-License-Identifier: Apache-2.0

#include "gateway/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace fairway::gateway {
namespace {

constexpr std::uint64_t gibibyte = 1 << 30;

TEST(MemoryLimit, IsThatOfTheMachineOrOfTheCgroup) {
  const char* const machine = "MemTotal:        8388608 kB\nMemFree:          123456 kB\n";
  EXPECT_EQ(least_memory(machine, "max\n"), 8 * gibibyte);
  EXPECT_EQ(least_memory(machine, ""), 8 * gibibyte);
  EXPECT_EQ(least_memory(machine, "1073741824\n"), gibibyte);
  EXPECT_EQ(least_memory(machine, "9223372036854771712\n"), 8 * gibibyte) << "version 1 has no word for max";
  EXPECT_EQ(least_memory("", "1073741824"), gibibyte);
  EXPECT_EQ(least_memory("", ""), std::numeric_limits<std::uint64_t>::max());
}

TEST(MemoryLimit, OfThisProcessLeavesRoomByDefault) {
  const std::uint64_t all = memory_of_process();
  EXPECT_GT(all, std::uint64_t{64} << 20);
  EXPECT_LT(default_max_memory(), all);
  EXPECT_GE(default_max_memory(), all / 2);
}

}  // namespace
}  // namespace fairway::gateway
