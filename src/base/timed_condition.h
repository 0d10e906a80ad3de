// SPDX-License-Identifier: Apache-2.0

// A condition variable whose time limits go by a Clock, so that a test that moves the clock ends the wait.
#pragma once

#include <mutex>
#include <stop_token>

#include "base/limits.h"

namespace fairway {

/// A condition variable that waits by a `Clock`. As with std::condition_variable, a mutex of the user's
/// guards the state that is waited for: code that changes it holds the mutex, and calls `notify_all` then or
/// afterwards.
class TimedCondition {
 public:
  void notify_all();

  /// Waits until `done()`; false when the limits expire before. `lock` is held while `done` is called and
  /// when this returns.
  template <class Done>
  bool wait(std::unique_lock<std::mutex>& lock, Clock& clock, const Limits& limits, Done done) {
    while (!done()) {
      if (limits.expired(clock)) return false;
      wait_for_change(lock, clock, limits);
    }
    return true;
  }

 private:
  /// Returns at the next `notify_all`, when the limits expire, or spuriously.
  void wait_for_change(std::unique_lock<std::mutex>& lock, Clock& clock, const Limits& limits);

  std::mutex mutex_;  ///< guards `changed_`
  std::stop_source changed_;
};

}  // namespace fairway
