// SPDX-License-Identifier: Apache-2.0

// What each address holds, and which one gives way.
#include "http/internal/server/address_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace fairway::http {
namespace {

AddressKey address(std::uint8_t last) {
  return {.bytes = {127, 0, 0, last}};
}

TEST(AddressTable, NamesTheAddressThatHoldsMost) {
  AddressTable table;
  EXPECT_EQ(table.heaviest(0), std::nullopt);
  for (std::uint8_t i = 1; i <= 3; ++i) table.begin(address(i), 10);
  EXPECT_EQ(table.heaviest(10), std::nullopt);
  table.grow(address(2), 5);
  EXPECT_EQ(table.held_by(address(2)), 15U);
  EXPECT_EQ(table.heaviest(10), address(2));
  EXPECT_EQ(table.heavier_than(address(1)), address(2));
  EXPECT_EQ(table.heavier_than(address(2)), std::nullopt);
  EXPECT_EQ(table.heavier_than(address(9)), address(2)) << "one that holds nothing";
  table.shrink(address(2), 10);
  EXPECT_EQ(table.held_by(address(2)), 5U);
  EXPECT_EQ(table.heavier_than(address(2)), address(3));
  table.grow(address(2), 10);
  table.end(address(2), 15);
  EXPECT_EQ(table.held_by(address(2)), 0U);
  EXPECT_EQ(table.heavier_than(address(1)), std::nullopt);
}

TEST(AddressTable, NamesNobodyAsHeavierThanItself) {
  AddressTable table;
  table.begin(address(1), 10);
  std::jthread other([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      table.begin(address(1), 10);
      table.end(address(1), 10);
    }
  });
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(table.heavier_than(address(1)), std::nullopt) << i;
}

}  // namespace
}  // namespace fairway::http
