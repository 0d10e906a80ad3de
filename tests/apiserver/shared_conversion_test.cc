// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/shared_conversion.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/internal/flow/caller.h"
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
          const ConvertedText& text = convert_once_for_all(*record, tag, strategy, convert, clock);
          answer = text ? text->value_or("as stored") : std::string(text.error().message());
        });
      }
    }
    return told;
  }

  FakeClock clock;
  resources::Strategy strategy;
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

TEST_F(SharedConversion, ThatEndsWithItsCallerIsNobodyElses) {
  std::stop_source gone;
  const flow::Caller caller{.user = "somebody", .cancelled = gone.get_token()};
  {
    const flow::CallerScope scope(caller);
    const ConvertedText& text = convert_once_for_all(
        *record, tag, strategy,
        [&]() -> ConvertedText {
          gone.request_stop();
          return std::unexpected(k8s::answer::error_without_reason("stopped"));
        },
        clock);
    EXPECT_FALSE(text);
  }
  const auto refused = [&]() -> ConvertedText {
    return std::unexpected(k8s::answer::too_many_requests("too many wait", std::chrono::seconds(1)));
  };
  EXPECT_FALSE(convert_once_for_all(*record, tag, strategy, refused, clock));
  EXPECT_EQ(ask([]() -> ConvertedText { return "converted"; }), std::vector<std::string>(16, "converted"));
}

/// A strategy without a free place.
struct Crowded final : resources::Strategy {
  bool converts_by_webhook() const override { return true; }
  k8s::StatusResult<flow::Waits::Place> enter_conversion() const override {
    ++entered;
    return std::unexpected(k8s::answer::too_many_requests("no place", std::chrono::seconds(1)));
  }
  mutable std::atomic<int> entered = 0;
};

TEST_F(SharedConversion, IsAwaitedAtAPlace) {
  const Crowded crowded;
  std::string told;
  const ConvertedText& text = convert_once_for_all(
      *record, tag, crowded,
      [&]() -> ConvertedText {
        // While this one converts, another thread finds no place to wait for it.
        std::jthread([&] {
          const ConvertedText& other = convert_once_for_all(
              *record, tag, crowded, [&]() -> ConvertedText { return "made by another"; }, clock);
          told = other ? **other : std::string(other.error().message());
        }).join();
        return "converted";
      },
      clock);
  EXPECT_EQ(*text, "converted");
  EXPECT_EQ(told, "no place");
  EXPECT_EQ(crowded.entered, 1);
}

}  // namespace
}  // namespace fairway::apiserver::objects
