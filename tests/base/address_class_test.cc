#include "base/address_class.h"

#include <gtest/gtest.h>

namespace fairway {
namespace {

TEST(AddressClass, IsThatOfEachFormOfAnAddress) {
  using enum AddressClass;
  for (const auto& [text, expected] : {std::pair{"192.0.2.1", ordinary},
                                       {"10.0.0.1", ordinary},
                                       {"126.255.255.255", ordinary},
                                       {"127.0.0.1", loopback},
                                       {"127.255.255.255", loopback},
                                       {"128.0.0.0", ordinary},
                                       {"169.253.255.255", ordinary},
                                       {"169.254.169.254", link_local},
                                       {"223.255.255.255", ordinary},
                                       {"224.0.0.1", multicast},
                                       {"255.255.255.255", multicast},
                                       {"0.0.0.0", unspecified},
                                       {"0.1.2.3", unspecified},
                                       {"2001:db8::1", ordinary},
                                       {"::", unspecified},
                                       {"::1", loopback},
                                       {"0:0:0:0:0:0:0:1", loopback},
                                       {"fe80::1", link_local},
                                       {"febf::1", link_local},
                                       {"fec0::1", ordinary},
                                       {"fd00::1", ordinary},
                                       {"ff02::1", multicast},
                                       {"::ffff:127.0.0.1", loopback},
                                       {"::ffff:7f00:1", loopback},
                                       {"::127.0.0.1", loopback},
                                       {"64:ff9b::127.0.0.1", loopback},
                                       {"::ffff:0.0.0.0", unspecified},
                                       {"::ffff:169.254.0.1", link_local},
                                       {"::ffff:192.0.2.1", ordinary}})
    EXPECT_EQ(classify_address(text), expected) << text;
}

TEST(AddressClass, IsThatOfNoOtherText) {
  for (const char* text : {"", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.1 ", "fe80::1%lo",
                           "[::1]", "127.0.0.0/8"})
    EXPECT_FALSE(classify_address(text)) << text;
}

}  // namespace
}  // namespace fairway
