// SPDX-License-Identifier: Apache-2.0

#include "base/shell_word.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(ShellWord, IsOneWordWhateverItHolds) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("plain"), "'plain'");
  EXPECT_EQ(shell_word("a b $HOME `id` \"\\"), "'a b $HOME `id` \"\\'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace fairway
