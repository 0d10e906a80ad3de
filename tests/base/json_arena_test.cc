// SPDX-License-Identifier: Apache-2.0

#include "base/json_arena.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::json {
namespace {

// A review converts its objects one after the other, each in the memory of the last.
TEST(Arena, IsAsSmallAfterAResetAsAtFirst) {
  const std::string text(std::size_t{300} << 10, 'x');
  Arena arena;
  for (int i = 0; i < 100; ++i) {
    {
      const Value copy(text, arena.storage());
      ASSERT_EQ(copy.as_string().size(), text.size()) << i;
    }
    arena.reset();
  }
}

}  // namespace
}  // namespace fairway::json
