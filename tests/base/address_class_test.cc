// SPDX-License-Identifier: Apache-2.0

#include "base/address_class.h"

#include <gtest/gtest.h>

#include "base/address_range.h"

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
                                       {"fec0::1", site_local},
                                       {"feff::1", site_local},
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

TEST(AddressClass, IsThatOfAnAddressOfIpv4ThatOneOfIpv6Carries) {
  using enum AddressClass;
  for (const auto& [text, expected] :
       {// NAT64 of a prefix of one's own (RFC 8215), in each place that RFC 6052 has for the address.
        std::pair{"64:ff9b:1::7f00:1", loopback},
        {"64:ff9b:1:fffe::127.0.0.1", loopback},
        {"64:ff9b:1:7f00:0:100::", loopback},
        {"64:ff9b:1:7f:0:1::", loopback},
        {"64:ff9b:1:0:7f:0:100:0", loopback},
        {"64:ff9b:1::169.254.169.254", link_local},
        {"64:ff9b:1::192.0.2.1", ordinary},
        {"64:ff9b:2::127.0.0.1", ordinary},
        // SIIT.
        {"::ffff:0:127.0.0.1", loopback},
        {"::ffff:0:192.0.2.1", ordinary},
        // 6to4.
        {"2002:7f00:1::", loopback},
        {"2002:a9fe:a9fe::1", link_local},
        {"2002:6464:64c8::1", metadata},
        {"2002:c000:201::1", ordinary},
        // Teredo: the server's address, and that of the client with its bits turned over.
        {"2001:0:7f00:1::", loopback},
        {"2001:0:c000:201:0:0:80ff:fffe", loopback},
        {"2001:0:c000:201:0:0:3fff:fdfe", ordinary},
        {"2001::1", unspecified},
        {"2001:1::1", ordinary}})
    EXPECT_EQ(classify_address(text), expected) << text;
}

TEST(AddressClass, IsMetadataForThatOfClouds) {
  for (const char* text :
       {"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "100.100.100.200",
        "168.63.129.16", "192.0.0.192", "::ffff:168.63.129.16", "64:ff9b::100.100.100.200"})
    EXPECT_EQ(classify_address(text), AddressClass::metadata) << text;
  for (const char* text :
       {"fd00:ec2::253", "fd00:ec3::254", "100.100.100.201", "168.63.129.17", "192.0.0.191"})
    EXPECT_EQ(classify_address(text), AddressClass::ordinary) << text;
}

TEST(AddressClass, PlainIsTheAddressOfIpv4ThatIsMeant) {
  for (const char* text : {"192.0.2.1", "::ffff:192.0.2.1", "::192.0.2.1", "64:ff9b::192.0.2.1",
                           "64:ff9b:1::192.0.2.1", "::ffff:0:192.0.2.1"})
    EXPECT_EQ(plain_address(*address_bytes(text)), *address_bytes("192.0.2.1")) << text;
  for (const char* text : {"::", "::1", "2001:db8::1", "2002:c000:201::1"})
    EXPECT_EQ(plain_address(*address_bytes(text)), *address_bytes(text)) << text;
}

TEST(AddressClass, IsThatOfNoOtherText) {
  for (const char* text : {"", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.1 ", "fe80::1%lo",
                           "[::1]", "127.0.0.0/8"})
    EXPECT_FALSE(classify_address(text)) << text;
}

}  // namespace
}  // namespace fairway
