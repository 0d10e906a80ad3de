// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/shared_conversion.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

constexpr std::uint64_t tag = 7;

class SharedConversion : public ::testing::Test {
 protected:
  /// Asks from many threads at once, and returns what each was told.
  std::vector<std::string> ask(const std::function<ConvertedText()>& convert) {
    constexpr std::size_t many = 16;
    std::vector<std::string> told(many);
    {
      std::vector<std::jthread> threads;
      for (std::string& answer : told) {
        threads.emplace_back([&] {
          const ConvertedText& text = convert_once_for_all(*record, tag, convert, clock);
          answer = text ? text->value_or("as stored") : std::string(text.error().message());
        });
      }
    }
    return told;
  }

  FakeClock clock;
  storage::RecordPtr record = std::make_shared<const storage::Record>("default/x", 1, "{}", 0);
};

TEST_F(SharedConversion, IsMadeOnceAndKept) {
  std::atomic<int> calls = 0;
  const auto convert = [&]() -> ConvertedText {
    ++calls;
    return "converted";
  };
  for (int round = 0; round < 2; ++round) EXPECT_EQ(ask(convert), std::vector<std::string>(16, "converted"));
  EXPECT_EQ(calls, 1);
  // Of another record, even if it is of the same object.
  record = record->anew();
  ask(convert);
  EXPECT_EQ(calls, 2);
}

TEST_F(SharedConversion, ThatFailsIsTriedAgainAfterASecond) {
  std::atomic<int> calls = 0;
  bool fails = true;
  const auto convert = [&]() -> ConvertedText {
    ++calls;
    if (fails) return std::unexpected(k8s::answer::error_without_reason("it failed"));
    return "converted";
  };
  EXPECT_EQ(ask(convert), std::vector<std::string>(16, "it failed"));
  EXPECT_EQ(calls, 1);
  clock.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(ask(convert), std::vector<std::string>(16, "it failed"));
  EXPECT_EQ(calls, 1);
  clock.advance(std::chrono::milliseconds(1));
  fails = false;
  EXPECT_EQ(ask(convert), std::vector<std::string>(16, "converted"));
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace fairway::apiserver::objects
