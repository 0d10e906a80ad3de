// SPDX-License-Identifier: Apache-2.0

// Which begun request of an address gives way.
#include "http/internal/server/begun_table.h"

#include <gtest/gtest.h>

#include <chrono>

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

constexpr AddressKey one{.bytes = {127, 0, 0, 1}}, other{.bytes = {127, 0, 0, 2}};

class BegunTableTest : public ::testing::Test {
 protected:
  std::uint64_t enter(Stage stage, std::chrono::milliseconds after, const AddressKey& address = one) {
    return table.enter(address, stage, nullptr, start + after);
  }
  /// The number of the request that is removed, a second after the start; 0: none is.
  std::uint64_t gives_way(std::size_t most, std::uint64_t spared = 0) {
    const auto begun = table.give_way(one, most, start + 1s, spared);
    return begun ? begun->number : 0;
  }

  const SteadyTime start{1h};
  BegunTable table;
};

TEST_F(BegunTableTest, NoneUntilThereAreMoreThanTheShare) {
  EXPECT_EQ(gives_way(0), 0U);
  enter(Stage::head, 0s);
  enter(Stage::head, 0s, other);
  enter(Stage::head, 0s, other);
  EXPECT_EQ(gives_way(1), 0U) << "others have their own";
}

TEST_F(BegunTableTest, FirstTheOldestHandshakeOrHeadThatIsSlow) {
  enter(Stage::body, 0s);
  const auto head = enter(Stage::head, 100ms), handshake = enter(Stage::handshake, 200ms),
             young = enter(Stage::handshake, 2s);
  EXPECT_EQ(gives_way(3), head);
  EXPECT_EQ(gives_way(2), handshake);
  EXPECT_EQ(gives_way(1), young) << "none is slow, and a handshake has come less far than a body";
}

TEST_F(BegunTableTest, ElseTheOldestOfTheStageOfWhichThereAreMost) {
  enter(Stage::handshake, 2s);
  const auto first = enter(Stage::body, 2s), second = enter(Stage::body, 2s);
  EXPECT_EQ(gives_way(2), first);
  enter(Stage::body, 2s);
  EXPECT_EQ(gives_way(2), second);
}

TEST_F(BegunTableTest, NeverTheOneThatIsSpared) {
  const auto first = enter(Stage::head, 0s);
  EXPECT_EQ(gives_way(0, first), 0U);
  const auto second = enter(Stage::head, 0s);
  EXPECT_EQ(gives_way(1, first), second);
}

TEST_F(BegunTableTest, NoneThatHasLeft) {
  const auto first = enter(Stage::head, 0s), second = enter(Stage::head, 0s);
  table.leave(one, first);
  table.leave(one, first);
  EXPECT_EQ(gives_way(1), 0U);
  EXPECT_EQ(gives_way(0), second);
  EXPECT_EQ(gives_way(0), 0U);
  table.leave(one, second);
}

}  // namespace
}  // namespace fairway::http
