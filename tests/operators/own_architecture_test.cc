// SPDX-License-Identifier: Apache-2.0

#include "operators/own_architecture.h"

#include <gtest/gtest.h>

namespace fairway::operators {
namespace {

TEST(OwnArchitecture, IsCalledAsReleaseImagesAre) {
  EXPECT_EQ(architecture_of("x86_64"), "amd64");
  EXPECT_EQ(architecture_of("aarch64"), "arm64");
  EXPECT_EQ(architecture_of("ppc64le"), "ppc64le");
  EXPECT_EQ(architecture_of("s390x"), "s390x");
  EXPECT_FALSE(own_architecture().empty());
}

}  // namespace
}  // namespace fairway::operators
