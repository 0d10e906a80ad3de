// SPDX-License-Identifier: Apache-2.0

// The time at which the API server last answered a migration.
#pragma once

#include <mutex>

#include "base/clock.h"

namespace fairway::conversion {

/// Tells a migration that makes progress, however slow, from one whose requests are not answered. Safe from
/// all threads.
class Activity {
 public:
  /// `clock` must outlive this.
  explicit Activity(const Clock& clock) : clock_(clock), last_(clock.steady()) {}
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  /// Records that a request was answered, or that the first one is about to be sent.
  void record() {
    const std::lock_guard lock(mutex_);
    last_ = clock_.steady();
  }
  /// Returns the time since which no request has been answered: now, if the migration waits on purpose
  /// (`Wait`).
  SteadyTime quiet_since() const {
    const std::lock_guard lock(mutex_);
    return waits_ > 0 ? clock_.steady() : last_;
  }

  /// Marks a scope in which a thread of the migration waits for its turn to write, or for the settle time.
  class Wait {
   public:
    explicit Wait(Activity& activity) : activity_(activity) {
      const std::lock_guard lock(activity_.mutex_);
      ++activity_.waits_;
    }
    ~Wait() {
      const std::lock_guard lock(activity_.mutex_);
      --activity_.waits_;
      activity_.last_ = activity_.clock_.steady();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    Activity& activity_;
  };

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  SteadyTime last_;
  int waits_ = 0;
};

}  // namespace fairway::conversion
