// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/serving_state.h"

#include <algorithm>

#include "base/redact.h"

namespace fairway::updateservice {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

ServingState::ServingState(const Clock& clock)
    : clock_(clock), id_(next_id()), reason_("the first build has not ended yet") {}

void ServingState::set(Served built) {
  Served old;
  {
    const std::lock_guard lock(mutex_);
    old = std::exchange(built_, std::move(built));
    reason_.clear();
    generation_.fetch_add(1, std::memory_order_release);
  }
  // `old` may be the last owner of much: it goes here, outside of the lock.
}

void ServingState::set_age(WallTime last_good, bool stale) {
  last_good_.store(unix_seconds(last_good), std::memory_order_relaxed);
  stale_.store(stale, std::memory_order_relaxed);
}

void ServingState::set_reason(std::string_view reason) {
  const std::lock_guard lock(mutex_);
  reason_ = redact_urls(reason);
}

void ServingState::set_draining() {
  draining_ = true;
}

const Responses* ServingState::responses() const {
  struct Cached {
    std::uint64_t owner = 0;
    std::uint64_t generation = 0;
    std::shared_ptr<const Responses> responses;
  };
  thread_local Cached entry;
  const std::uint64_t generation = generation_.load(std::memory_order_acquire);
  if (entry.owner != id_ || entry.generation != generation) {
    std::shared_ptr<const Responses> old;
    const std::lock_guard lock(mutex_);
    old = std::exchange(entry.responses, built_.responses);
    entry.owner = id_;
    entry.generation = generation_.load(std::memory_order_relaxed);
  }
  return entry.responses.get();
}

Served ServingState::served() const {
  const std::lock_guard lock(mutex_);
  return built_;
}

std::chrono::seconds ServingState::age() const {
  const std::int64_t last = last_good_.load(std::memory_order_relaxed);
  if (last == 0) return std::chrono::seconds(0);
  return std::chrono::seconds(std::max<std::int64_t>(0, unix_seconds(clock_.now()) - last));
}

std::optional<std::string> ServingState::not_ready() const {
  if (draining_) return "the service is stopping";
  const std::lock_guard lock(mutex_);
  if (built_.responses) return std::nullopt;
  return "no graph yet: " + reason_;
}

}  // namespace fairway::updateservice
