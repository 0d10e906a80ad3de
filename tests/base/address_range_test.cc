// SPDX-License-Identifier: Apache-2.0

#include "base/address_range.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(AddressRange, HasTheAddressesOfItsPrefix) {
  struct Case {
    const char *range, *address;
    bool is_in;
  };
  for (const Case& one : {Case{"127.0.0.0/8", "127.255.0.1", true},
                          {"127.0.0.0/8", "128.0.0.1", false},
                          {"127.0.0.0/8", "::ffff:127.0.0.1", true},
                          {"127.0.0.0/8", "::127.0.0.1", false},
                          {"127.0.0.2", "127.0.0.2", true},
                          {"127.0.0.2", "127.0.0.3", false},
                          {"192.0.2.128/25", "192.0.2.127", false},
                          {"192.0.2.128/25", "192.0.2.128", true},
                          {"0.0.0.0/0", "1.2.3.4", true},
                          {"0.0.0.0/0", "2001:db8::1", false},
                          {"::/0", "2001:db8::1", true},
                          {"::/0", "127.0.0.1", false},
                          {"::/0", "::ffff:127.0.0.1", false},
                          {"::ffff:127.0.0.0/104", "127.0.0.1", true},
                          {"fe80::/10", "febf::1", true},
                          {"fe80::/10", "fec0::1", false},
                          {"::1", "0:0::1", true},
                          {"10.0.0.0/8", "10.0.0.1.example", false}}) {
    const auto range = AddressRange::parse(one.range);
    ASSERT_TRUE(range) << one.range;
    EXPECT_EQ(range->contains(one.address), one.is_in) << one.range << " " << one.address;
  }
}

TEST(AddressRange, RefusesWhatNamesNone) {
  for (const char* text :
       {"", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0/8", "10.0.0.1/8",
        "fd00::/129", "fe80::1%lo", "010.0.0.1", "0x7f000001", "2130706433"})
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  EXPECT_FALSE(AddressRange::parse(std::string_view("127.0.0.1\0", 10)));
  EXPECT_EQ(AddressRange::parse("10.0.0.1/8").error().message,
            "10.0.0.1/8 is no range of addresses: its address has bits beyond the prefix");
}

TEST(AddressRange, ListsHaveCommasBetween) {
  EXPECT_EQ(parse_address_ranges("127.0.0.0/8,::1")->size(), 2U);
  EXPECT_TRUE(parse_address_ranges("")->empty());
  EXPECT_FALSE(parse_address_ranges("127.0.0.1,"));
  EXPECT_FALSE(parse_address_ranges(",127.0.0.1"));
  EXPECT_FALSE(parse_address_ranges("127.0.0.1, ::1"));
}

}  // namespace
}  // namespace fairway
