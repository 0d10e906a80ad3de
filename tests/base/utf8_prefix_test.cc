// SPDX-License-Identifier: Apache-2.0

#include "base/utf8_prefix.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway {
namespace {

TEST(Utf8Prefix, CutsNoCharacter) {
  const std::string text = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";  // of 1, 2, 3 and 4 bytes
  const std::size_t expected[]{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t most = 0; most < std::size(expected); ++most)
    EXPECT_EQ(utf8_prefix(text, most).size(), expected[most]) << most;
}

TEST(Utf8Prefix, LosesLittleOfWhatIsNotUtf8) {
  const std::string text(100, '\x80');
  EXPECT_EQ(utf8_prefix(text, 50).size(), 47U);
  EXPECT_EQ(utf8_prefix(text, 2).size(), 0U);
}

}  // namespace
}  // namespace fairway
