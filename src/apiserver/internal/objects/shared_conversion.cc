// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/objects/shared_conversion.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "apiserver/internal/flow/caller.h"
#include "http/flow.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

/// Time for which a failure answers everybody who asks for the same.
constexpr std::chrono::seconds failure_lasts{1};

/// State that the threads share which want the same conversion.
class Turn {
 public:
  /// Waits until nobody else converts. Returns false if that lasts beyond the caller's deadline.
  bool take() {
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return !taken_; };
    if (!is_free()) {
      const http::OutsideWait wait;
      const flow::Caller* const caller = flow::current_caller();
      if (caller == nullptr || caller->deadline == SteadyTime::max()) {
        free_.wait(lock, is_free);
      } else if (!free_.wait_until(lock, caller->deadline, is_free)) {
        return false;
      }
    }
    taken_ = true;
    return true;
  }
  /// Ends what `take` has begun.
  void give_back() {
    {
      const std::scoped_lock lock(mutex_);
      taken_ = false;
    }
    free_.notify_one();
  }

  // For who has taken the turn.

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
  std::mutex mutex_;
  std::condition_variable free_;
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

}  // namespace

const ConvertedText& convert_once_for_all(const storage::Record& record, std::uint64_t tag,
                                          const std::function<ConvertedText()>& convert, const Clock& clock) {
  const storage::Derived& derived = record.derived();
  if (const auto* kept = derived.kept<ConvertedText>(tag)) return *kept;
  const auto& turn = derived.get<std::shared_ptr<Turn>>(tag + 1, [] { return std::make_shared<Turn>(); });
  if (!turn->take()) {
    return derived.get<ConvertedText>(tag, []() -> ConvertedText {
      return std::unexpected(k8s::answer::internal_error(
          "the request's deadline came while another one waited for the same conversion"));
    });
  }
  const TakenTurn taken(*turn);
  return derived.get<ConvertedText>(tag, [&]() -> ConvertedText {
    if (const auto& failure = turn->failure(clock.steady())) return std::unexpected(*failure);
    ConvertedText made = convert();
    if (!made) turn->set_failure(made.error(), clock.steady());
    return made;
  });
}

}  // namespace fairway::apiserver::objects
