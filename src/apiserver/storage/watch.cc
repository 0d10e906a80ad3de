#include "apiserver/storage/watch.h"

#include <mutex>

#include "base/timed_condition.h"

namespace fairway::apiserver::storage {

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
