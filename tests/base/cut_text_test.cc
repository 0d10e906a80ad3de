// SPDX-License-Identifier: Apache-2.0

#include "base/cut_text.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace fairway {
namespace {

TEST(CutText, KeepsWhatFitsAndCutsTheRestAtACharacter) {
  EXPECT_EQ(cut_text("", 8), "");
  EXPECT_EQ(cut_text("12345678", 8), "12345678");
  EXPECT_EQ(cut_text("123456789", 8), "12345...");
  // é has two bytes, and 😀 four.
  EXPECT_EQ(cut_text("éééé", 8), "éééé");
  EXPECT_EQ(cut_text("ééééé", 8), "éé...");
  EXPECT_EQ(cut_text("😀😀", 8), "😀😀");
  EXPECT_EQ(cut_text("a😀😀", 8), "a😀...");
  EXPECT_EQ(cut_text("ab😀😀", 8), "ab...");
}

TEST(CutText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(cut_text("a\xFF"
                     "b\xC3",
                     64),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  const std::string cut = cut_text(std::string(100, '\xFF'), 16);
  EXPECT_TRUE(is_utf8(cut));
  EXPECT_LE(cut.size(), 16U);
  EXPECT_TRUE(cut.ends_with("..."));
}

TEST(CutText, IsWithinItsLimitWhereverACharacterBegins) {
  for (std::size_t before = 0; before < 8; ++before) {
    std::string text(before, 'x');
    for (int i = 0; i < 20; ++i) text += "€";
    for (std::size_t limit = 3; limit < 40; ++limit) {
      const std::string cut = cut_text(text, limit);
      EXPECT_LE(cut.size(), limit);
      EXPECT_TRUE(is_utf8(cut)) << before << " " << limit;
    }
  }
}

}  // namespace
}  // namespace fairway
