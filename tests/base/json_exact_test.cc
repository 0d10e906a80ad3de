// SPDX-License-Identifier: Apache-2.0

// What is read and written again is the same, numbers to the last bit.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "base/json.h"
#include "base/json_arena.h"

namespace fairway::json {
namespace {

std::string written(const Value& value) {
  std::string text;
  append_text(text, value);
  return text;
}

TEST(Json, ReadsDoublesToTheNearest) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    const auto read = parse("[" + written(Value(number)) + "]");
    ASSERT_TRUE(read) << number;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->as_array()[0].as_double()),
              std::bit_cast<std::uint64_t>(number))
        << written(Value(number));
  }
  EXPECT_EQ(parse("0.30000000000000004")->as_double(), 0.30000000000000004);
  EXPECT_EQ(parse("1234567890123456789012e-3")->as_double(), 1234567890123456789.012);
}

TEST(Json, AppendsWhatItRead) {
  for (const std::string text :
       {R"({"z":18446744073709551615,"a":-9223372036854775808,"m":[1,null,true,false,"é",[],{}]})", "1.5",
        "1.0", "-0.0", "1e+300", "0.30000000000000004", R"("a\"b\\c\n\t\r\b\f\u0001é")", R"("12345678\"")",
        R"("1234567\\")", R"("1234567\u001f89")"}) {
    EXPECT_EQ(written(parse(text).value()), text);
  }
}

TEST(Json, LivesInAnArena) {
  for (int round = 0; round < 3; ++round) {
    Arena arena;
    const auto value =
        parse(R"({"a":[1,2,{"b":"a text that is longer than what fits into a value"}]})", arena.storage());
    ASSERT_TRUE(value);
    EXPECT_EQ(value->storage().get(), arena.storage().get());
    EXPECT_EQ(value->at("a").storage().get(), arena.storage().get());
    Arena inner;
    EXPECT_TRUE(parse("[{}]", inner.storage()));
    const Value copy(*value, Storage{});
    EXPECT_NE(copy.storage().get(), arena.storage().get());
  }
}

}  // namespace
}  // namespace fairway::json
