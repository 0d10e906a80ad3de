// SPDX-License-Identifier: Apache-2.0

#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(Nearest, IsTheFirstThatDiffersLeast) {
  EXPECT_EQ(nearest("wbe", {"api", "web", "we"}), "we");
  EXPECT_EQ(nearest("web", {"wep", "weg"}), "wep");
  EXPECT_EQ(nearest("gateway", {"gatweay", "gateways"}), "gateways");
  EXPECT_EQ(nearest("", {"ab", "abc"}), "ab");
}

TEST(Nearest, IsNothingWhereMoreThanAThirdAndTwoLettersDiffer) {
  EXPECT_EQ(nearest("web", {"abc", "internal", ""}), "");
  EXPECT_EQ(nearest("web", {}), "");
  EXPECT_EQ(nearest("candidate", {"cantitade"}), "cantitade");
  EXPECT_EQ(nearest("candidate", {"dandelion"}), "");
}

}  // namespace
}  // namespace fairway
