// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/watch.h"

#include <mutex>

#include "base/timed_condition.h"

namespace fairway::apiserver::storage {

std::size_t Event::memory() const {
  // Of its pointers, and of who counts them.
  constexpr std::size_t holders = 64;
  std::size_t bytes = sizeof *this + holders + derived.bytes();
  if (previous != nullptr) bytes += previous->memory();
  if (type == EventType::deleted) bytes += record->memory();
  return bytes;
}

WatchBatch Watch::next(Clock& clock, const Limits& limits, std::size_t limit) {
  std::mutex mutex;
  TimedCondition changed;
  while (true) {
    WatchBatch batch = poll(limit);
    if (!batch.events.empty() || batch.end) return batch;
    bool ready = false;
    on_ready([&] {
      std::lock_guard lock(mutex);
      ready = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    bool in_time = changed.wait(lock, clock, limits, [&] { return ready; });
    lock.unlock();
    on_ready({});
    if (!in_time) return poll(limit);
  }
}

}  // namespace fairway::apiserver::storage
