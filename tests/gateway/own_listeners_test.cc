// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/own_listeners.h"

#include <gtest/gtest.h>

namespace fairway::gateway {
namespace {

OwnListeners sample() {
  return {.listeners = {{.flag = "--xds-listen", .address = "127.0.0.1", .port = 18000},
                        {.flag = "--status-listen", .address = "", .port = 8081},
                        {.flag = "--replica-listen", .address = "192.0.2.7", .port = 18443},
                        {.flag = "--six", .address = "::1", .port = 7000}},
          .machine = {*AddressRange::parse("192.0.2.7"), *AddressRange::parse("2001:db8::7")}};
}

std::string flag_at(const OwnListeners& own, std::string_view address, std::int64_t port) {
  const OwnListener* found = own.find(address, port);
  return found == nullptr ? "" : found->flag;
}

TEST(OwnListeners, FindAnAddressInAllItsForms) {
  const OwnListeners own = sample();
  EXPECT_EQ(flag_at(own, "127.0.0.1", 18000), "--xds-listen");
  EXPECT_EQ(flag_at(own, "::ffff:127.0.0.1", 18000), "--xds-listen");
  EXPECT_EQ(flag_at(own, "::ffff:7f00:1", 18000), "--xds-listen");
  EXPECT_EQ(flag_at(own, "0:0:0:0:0:0:0:1", 7000), "--six");
  EXPECT_EQ(flag_at(own, "127.0.0.1", 18001), "");
  EXPECT_EQ(flag_at(own, "127.0.0.2", 18000), "");
  EXPECT_EQ(flag_at(own, "localhost", 18000), "");
}

TEST(OwnListeners, AllAddressesMeetEachListenerOfAPort) {
  const OwnListeners own = sample();
  for (const char* all : {"", "0.0.0.0", "::", "::ffff:0.0.0.0"}) {
    EXPECT_EQ(flag_at(own, all, 18000), "--xds-listen") << all;
    EXPECT_EQ(flag_at(own, all, 8081), "--status-listen") << all;
    EXPECT_EQ(flag_at(own, all, 18443), "--replica-listen") << all;
    EXPECT_EQ(flag_at(own, all, 9), "") << all;
  }
}

TEST(OwnListeners, OneOfAllAddressesIsAtThoseOfTheMachine) {
  const OwnListeners own = sample();
  for (const char* here : {"192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7", "127.0.0.1", "127.9.9.9", "::1"})
    EXPECT_EQ(flag_at(own, here, 8081), "--status-listen") << here;
  EXPECT_EQ(flag_at(own, "192.0.2.8", 8081), "") << "another machine may use the same port";
}

}  // namespace
}  // namespace fairway::gateway
