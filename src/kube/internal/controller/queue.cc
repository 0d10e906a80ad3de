// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/controller/queue.h"

#include <algorithm>

namespace fairway::kube {

namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

Queue::Queue(const std::string& name, Clock& clock, metrics::Registry* registry, const RetryLimits& limits)
    : clock_(clock),
      metrics_(registry, name),
      retry_delays_(limits, clock.steady()),
      delays_([this](const std::stop_token& stop) { run_delays(stop); }) {}

Queue::~Queue() {
  shut_down();
}

void Queue::add(const k8s::Key& key, Lane lane, Reasons why) {
  const std::lock_guard lock(mutex_);
  add_locked(key, lane, std::move(why));
}

void Queue::make_ready(const k8s::Key& key, Lane lane) {
  (lane == Lane::changed ? changed_ : background_).push_back(key);
  ++waiting_;
  given_.notify_one();
}

void Queue::add_locked(const k8s::Key& key, Lane lane, Reasons why) {
  if (shut_down_) return;
  Entry& entry = entries_[key];
  if (entry.dirty) {
    if (lane == Lane::background || entry.lane == Lane::changed) return entry.why.add(why);
    entry.lane = Lane::changed;
    entry.why.put_in_front(std::move(why));
    if (entry.processing) return;
    --waiting_;  // where it stood
    return make_ready(key, Lane::changed);
  }
  entry.dirty = true;
  entry.lane = lane;
  entry.added = clock_.steady();
  entry.why = std::move(why);
  metrics_.adds.add();
  metrics_.depth.add(1);
  if (entry.processing) return;  // `done` queues it
  make_ready(key, lane);
}

void Queue::add_debounced(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why) {
  const std::lock_guard lock(mutex_);
  delay_locked(key, delay, std::move(why));
}

void Queue::add_after(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why) {
  const std::lock_guard lock(mutex_);
  metrics_.retries.add();
  delay_locked(key, delay, std::move(why));
}

void Queue::add_rate_limited(const k8s::Key& key, Reasons why) {
  const std::lock_guard lock(mutex_);
  metrics_.retries.add();
  delay_locked(key, retry_delays_.next(key, clock_.steady()), std::move(why));
}

void Queue::delay_locked(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why) {
  if (shut_down_) return;
  if (delay <= std::chrono::nanoseconds(0)) return add_locked(key, Lane::changed, std::move(why));
  // Longer delays are cut to a year: times beyond the clock's range would not compare correctly.
  constexpr std::chrono::nanoseconds longest = std::chrono::hours(24 * 366);
  const SteadyTime due =
      clock_.steady() + std::chrono::duration_cast<SteadyTime::duration>(std::min(delay, longest));
  const auto [found, is_new] = due_.try_emplace(key);
  Due& entry = found->second;
  if (!is_new) {
    if (entry.time <= due) return entry.why.add(why);
    by_time_.erase({entry.time, key});
  }
  entry.time = due;
  entry.why.put_in_front(std::move(why));
  const auto place = by_time_.emplace(due, key).first;
  if (place != by_time_.begin()) return;
  sooner_.request_stop();
  delays_changed_.notify_all();
}

void Queue::run_delays(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (delays_changed_.wait(lock, stop, [&] { return !by_time_.empty(); })) {
    if (stop.stop_requested()) return;
    const SteadyTime first = by_time_.begin()->first;
    if (clock_.steady() < first) {
      sooner_ = std::stop_source();
      const std::stop_token sooner = sooner_.get_token();
      lock.unlock();
      clock_.wait_until(first, sooner);
      lock.lock();
      continue;
    }
    const k8s::Key key = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    auto due = due_.extract(key);
    add_locked(key, Lane::changed, std::move(due.mapped().why));
  }
}

void Queue::forget(const k8s::Key& key) {
  const std::lock_guard lock(mutex_);
  retry_delays_.forget(key);
}

int Queue::failures(const k8s::Key& key) const {
  const std::lock_guard lock(mutex_);
  return retry_delays_.failures(key);
}

/// Takes the next ready object, of which there must be one.
k8s::Key Queue::take_next() {
  constexpr int most_in_a_row = 16;
  while (true) {
    const bool background = changed_.empty() || (!background_.empty() && changed_in_a_row_ >= most_in_a_row);
    std::deque<k8s::Key>& lane = background ? background_ : changed_;
    k8s::Key key = std::move(lane.front());
    lane.pop_front();
    const auto found = entries_.find(key);
    const bool here = found != entries_.end() && found->second.dirty && !found->second.processing &&
                      (found->second.lane == Lane::background) == background;
    if (!here) continue;
    changed_in_a_row_ = background ? 0 : changed_in_a_row_ + 1;
    --waiting_;
    return key;
  }
}

std::optional<k8s::Key> Queue::get(Reasons* why) {
  std::unique_lock lock(mutex_);
  given_.wait(lock, [&] { return shut_down_ || waiting_ > 0; });
  if (shut_down_) return std::nullopt;
  k8s::Key key = take_next();
  Entry& entry = entries_[key];
  entry.dirty = false;
  entry.processing = true;
  Reasons reasons = std::exchange(entry.why, {});
  if (why != nullptr) *why = std::move(reasons);
  entry.started = clock_.steady();
  metrics_.depth.add(-1);
  metrics_.queue_duration.observe(seconds(entry.started - entry.added));
  return key;
}

void Queue::done(const k8s::Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.processing) return;
  Entry& entry = found->second;
  entry.processing = false;
  metrics_.work_duration.observe(seconds(clock_.steady() - entry.started));
  if (!entry.dirty) {
    entries_.erase(found);
  } else if (!shut_down_) {
    make_ready(key, entry.lane);
  }
}

void Queue::shut_down() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(shut_down_, true)) return;
  by_time_.clear();
  due_.clear();
  metrics_.depth.set(0);
  given_.notify_all();
  sooner_.request_stop();
  delays_.request_stop();
}

std::size_t Queue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

std::size_t Queue::delayed() const {
  const std::lock_guard lock(mutex_);
  return due_.size();
}

void Queue::update_metrics() {
  const std::lock_guard lock(mutex_);
  const SteadyTime now = clock_.steady();
  double all = 0, longest = 0;
  for (const auto& [key, entry] : entries_) {
    if (!entry.processing) continue;
    const double running = seconds(now - entry.started);
    all += running;
    longest = std::max(longest, running);
  }
  metrics_.unfinished_work.set(all);
  metrics_.longest_running.set(longest);
}

}  // namespace fairway::kube
