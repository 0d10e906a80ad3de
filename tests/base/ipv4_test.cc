// SPDX-License-Identifier: Apache-2.0

#include "base/ipv4.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(Ipv4, IsANumberInHostOrder) {
  EXPECT_EQ(parse_ipv4("10.96.0.1"), 0x0a600001U);
  EXPECT_EQ(ipv4_text(0x0a600001U), "10.96.0.1");
  EXPECT_EQ(ipv4_text(*parse_ipv4("255.255.255.255")), "255.255.255.255");
  for (const char* broken : {"", "10.96.0", "10.96.0.256", "010.0.0.1", "::1", "10.96.0.1 "})
    EXPECT_FALSE(parse_ipv4(broken)) << broken;
}

}  // namespace
}  // namespace fairway
