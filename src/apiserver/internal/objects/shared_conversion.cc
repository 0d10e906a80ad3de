// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/shared_conversion.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

#include "apiserver/internal/flow/caller.h"
#include "base/clock.h"
#include "http/flow.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

/// Time for which a failure answers everybody who asks for the same.
constexpr std::chrono::seconds failure_lasts{1};

/// State that the threads share which want the same conversion.
class Turn {
 public:
  /// Waits until nobody else converts. Errors: there is no place to wait at (429); the caller is gone, or its
  /// deadline has come.
  k8s::StatusResult<void> take(const resources::Strategy& strategy) {
    if (take_free()) return {};
    const auto place = strategy.enter_conversion();
    if (!place) return std::unexpected(place.error());
    const http::OutsideWait wait;
    const flow::Caller* const caller = flow::current_caller();
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return !taken_; };
    if (caller == nullptr || caller->deadline == SteadyTime::max()) {
      free_.wait(lock, caller == nullptr ? std::stop_token() : caller->cancelled, is_free);
    } else {
      free_.wait_until(lock, caller->cancelled, caller->deadline, is_free);
    }
    if (taken_) {
      return std::unexpected(k8s::answer::error_without_reason(
          "the request ended while another one waited for the same conversion"));
    }
    taken_ = true;
    return {};
  }
  /// Ends what `take` has begun.
  void give_back() {
    {
      const std::scoped_lock lock(mutex_);
      taken_ = false;
    }
    free_.notify_one();
  }

  // For the thread that has taken the turn.

  /// Returns the failure of a moment ago; empty: there is none.
  const std::optional<k8s::Status>& failure(SteadyTime now) {
    if (failure_ && now - failed_ >= failure_lasts) failure_.reset();
    return failure_;
  }
  void set_failure(const k8s::Status& failure, SteadyTime now) {
    failure_ = failure;
    failed_ = now;
  }

 private:
  bool take_free() {
    const std::scoped_lock lock(mutex_);
    return !std::exchange(taken_, true);
  }

  std::mutex mutex_;
  std::condition_variable_any free_;
  bool taken_ = false;
  std::optional<k8s::Status> failure_;
  SteadyTime failed_{};
};

/// Gives a turn back at its end.
class TakenTurn {
 public:
  explicit TakenTurn(Turn& turn) : turn_(turn) {}
  ~TakenTurn() { turn_.give_back(); }
  TakenTurn(const TakenTurn&) = delete;
  TakenTurn& operator=(const TakenTurn&) = delete;

 private:
  Turn& turn_;
};

/// Returns whether a failure is the caller's alone: another one may be answered.
bool is_own(const k8s::Status& failure) {
  if (failure.is_failure(k8s::reason::too_many_requests)) return true;
  const flow::Caller* const caller = flow::current_caller();
  return caller != nullptr &&
         (caller->cancelled.stop_requested() || caller->deadline <= Clock::system().steady());
}

}  // namespace

const ConvertedText& convert_once_for_all(const storage::Record& record, std::uint64_t tag,
                                          const resources::Strategy& strategy,
                                          const std::function<ConvertedText()>& convert, const Clock& clock) {
  const storage::Derived& derived = record.derived();
  if (const auto* kept = derived.kept<ConvertedText>(tag)) return *kept;
  const auto& turn = derived.get<std::shared_ptr<Turn>>(tag + 1, [] { return std::make_shared<Turn>(); });
  if (auto done = turn->take(strategy); !done) {
    return derived.get<ConvertedText>(
        tag, [&]() -> ConvertedText { return std::unexpected(std::move(done).error()); });
  }
  const TakenTurn taken(*turn);
  return derived.get<ConvertedText>(tag, [&]() -> ConvertedText {
    if (const auto& failure = turn->failure(clock.steady())) return std::unexpected(*failure);
    ConvertedText made = convert();
    if (!made && !is_own(made.error())) turn->set_failure(made.error(), clock.steady());
    return made;
  });
}

}  // namespace fairway::apiserver::objects
