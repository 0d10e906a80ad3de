// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/address_places.h"

#include <gtest/gtest.h>

#include <optional>

namespace fairway::operators {
namespace {

std::string network(const std::string& address) {
  const http::Peer peer{.address = address};
  return network_of(&peer);
}

TEST(AddressPlaces, CountForAnAddressOfIpv4AndFor64BitsOfIpv6) {
  EXPECT_EQ(network("192.0.2.1:1"), network("192.0.2.1:2"));
  EXPECT_NE(network("192.0.2.1:1"), network("192.0.2.2:1"));
  EXPECT_EQ(network("[2001:db8::1]:1"), network("[2001:db8::2:1]:2"));
  EXPECT_NE(network("[2001:db8::1]:1"), network("[2001:db8:0:1::1]:1"));
  // Where a port listens for both, clients of IPv4 have mapped addresses.
  EXPECT_EQ(network("[::ffff:192.0.2.1]:1"), network("192.0.2.1:1"));
  EXPECT_NE(network("[::ffff:192.0.2.1]:1"), network("[::ffff:192.0.2.2]:1"));
  EXPECT_EQ(network_of(nullptr), "");
}

TEST(AddressPlaces, AreFreeAgainWhenTheirLastCopyIsGone) {
  std::optional<AddressPlaces> places(std::in_place, 3, 2);
  auto first = places->take("a"), second = places->take("a");
  ASSERT_TRUE(first && second);
  const auto third = places->take("a");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error(), AddressPlaces::Shortage::address);
  auto other = places->take("b");
  ASSERT_TRUE(other);
  EXPECT_EQ(places->take("c").error(), AddressPlaces::Shortage::places);
  const AddressPlaces::Place copy = *first;
  first = std::unexpected(AddressPlaces::Shortage::places);
  EXPECT_FALSE(places->take("a")) << "a copy is left";
  second = std::unexpected(AddressPlaces::Shortage::places);
  EXPECT_TRUE(places->take("a"));
  // A place may outlive the places.
  places.reset();
}

}  // namespace
}  // namespace fairway::operators
