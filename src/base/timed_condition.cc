// SPDX-License-Identifier: Apache-2.0

#include "base/timed_condition.h"

#include <utility>

namespace fairway {

void TimedCondition::notify_all() {
  std::stop_source changed;
  {
    const std::lock_guard lock(mutex_);
    changed = std::exchange(changed_, std::stop_source());
  }
  changed.request_stop();
}

void TimedCondition::wait_for_change(std::unique_lock<std::mutex>& lock, Clock& clock, const Limits& limits) {
  // Taken while the user's mutex is held: a change that comes after this ends the wait.
  const std::stop_token changed = [this] {
    const std::lock_guard own(mutex_);
    return changed_.get_token();
  }();
  lock.unlock();
  {
    const std::stop_callback on_stop(limits.stop, [this] { notify_all(); });
    clock.wait_until(limits.deadline, changed);
  }
  lock.lock();
}

}  // namespace fairway
