// SPDX-License-Identifier: Apache-2.0

#include "http/compress.h"

#include <gtest/gtest.h>

#include <random>

namespace fairway::http {
namespace {

std::string noise(std::size_t size) {
  std::mt19937 random(7);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

TEST(Gzip, GivesTheTextBack) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(1 << 20, 'x'), noise(300'000)}) {
    for (const int level : {1, 6, 12}) {
      const auto again = gunzip(gzip(text, level));
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(*again, text);
    }
  }
}

TEST(Gzip, GivesTheSameBytesForTheSameTextWithoutTimeOrName) {
  const std::string bytes = gzip("hello");
  EXPECT_EQ(bytes, gzip("hello"));
  EXPECT_EQ(bytes.substr(3, 5), std::string(5, '\0'));
}

TEST(Gunzip, ReadsSeveralMembers) {
  EXPECT_EQ(gunzip(gzip("hello ") + gzip("world")), "hello world");
}

TEST(Gunzip, StopsAtTheLimit) {
  const std::string bytes = gzip(std::string(1 << 20, 'x'));
  EXPECT_EQ(gunzip(bytes, (1 << 20) - 1).error().code, ErrorCode::too_large);
  EXPECT_TRUE(gunzip(bytes, 1 << 20));
  EXPECT_EQ(gunzip(gzip("ab") + gzip("cd"), 3).error().code, ErrorCode::too_large);
  EXPECT_EQ(gunzip(gzip("ab"), 0).error().code, ErrorCode::too_large);
}

TEST(Gunzip, RefusesWhatIsBroken) {
  const std::string bytes = gzip(noise(5000));
  EXPECT_EQ(gunzip("").error().code, ErrorCode::invalid);
  EXPECT_EQ(gunzip("hello").error().code, ErrorCode::invalid);
  EXPECT_FALSE(gunzip(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(gunzip(bytes + "x"));
  std::string flipped = bytes;
  flipped[2000] = static_cast<char>(flipped[2000] ^ 1);
  EXPECT_FALSE(gunzip(flipped));
}

}  // namespace
}  // namespace fairway::http
