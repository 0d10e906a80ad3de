// SPDX-License-Identifier: Apache-2.0

// The work queue of a controller: the keys of the objects to reconcile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "k8s/object.h"
#include "kube/internal/controller/queue_metrics.h"
#include "kube/internal/controller/reasons.h"
#include "kube/internal/controller/retry_delays.h"
#include "kube/internal/informer/key_hash.h"

namespace fairway::kube {

/// A queue of objects to reconcile, like client-go's work queue: an object is queued once, however often it
/// is added, and is never given to two workers: if it is added while in flight, it is queued once more after
/// `done`. Safe from all threads.
class Queue {
 public:
  /// Creates a queue. `name` is the controller's, for metrics; `registry` may be null. It and the clock must
  /// outlive the queue.
  Queue(const std::string& name, Clock& clock, metrics::Registry* registry = nullptr,
        const RetryLimits& limits = {});
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// The lane of an object. `background` objects (a resync, the first list) are given out when nothing else
  /// waits, and one after every 16 others. Adding one as `changed` moves it to that lane.
  enum class Lane { changed, background };
  /// `why` is given out with it.
  void add(const k8s::Key& key, Lane lane = Lane::changed, Reasons why = {});
  /// Adds it as changed after `delay`, so that additions until then are joined; see `add_after`.
  void add_debounced(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why = {});
  /// Adds it after `delay`. Of two delays of one object, the one that ends first counts.
  void add_after(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why = {});
  /// Adds it after the delay that `RetryDelays` gives, and counts a failure of it.
  void add_rate_limited(const k8s::Key& key, Reasons why = {});
  /// Resets its backoff: it succeeded, or is not retried.
  void forget(const k8s::Key& key);
  int failures(const k8s::Key& key) const;

  /// Waits for an object, which is the caller's until `done`, and sets `why` to its reasons, if given.
  /// std::nullopt: the queue is shut down.
  std::optional<k8s::Key> get(Reasons* why = nullptr);
  void done(const k8s::Key& key);

  /// Shuts the queue down: it accepts and gives out nothing more, and queued keys are dropped. A caller that
  /// has an object still calls `done`.
  void shut_down();
  /// Returns the number of ready objects; those with a delay are not counted.
  std::size_t size() const;
  /// Returns the number of objects whose delay has not passed.
  std::size_t delayed() const;
  /// Updates the two gauges that change with time; call it before metrics are read.
  void update_metrics();

 private:
  /// State of an object that is queued or in flight.
  struct Entry {
    bool dirty = false, processing = false;
    Lane lane = Lane::changed;
    SteadyTime added{}, started{};
    Reasons why = {};
  };
  /// The end of an object's delay, and why it is queued then.
  struct Due {
    SteadyTime time{};
    Reasons why = {};
  };
  using Entries = std::unordered_map<k8s::Key, Entry, KeyHash>;

  void add_locked(const k8s::Key& key, Lane lane, Reasons why);
  void make_ready(const k8s::Key& key, Lane lane);
  k8s::Key take_next();
  void delay_locked(const k8s::Key& key, std::chrono::nanoseconds delay, Reasons why);
  void run_delays(const std::stop_token& stop);

  Clock& clock_;
  mutable std::mutex mutex_;
  QueueMetrics metrics_;
  RetryDelays retry_delays_;
  Entries entries_;
  /// Keys in the order of arrival. A key may still be in `background_` after it moved to `changed_`: its
  /// entry has the lane.
  std::deque<k8s::Key> changed_, background_;
  std::size_t waiting_ = 0;  ///< number of ready objects
  int changed_in_a_row_ = 0;
  std::condition_variable given_;  ///< notified when something is ready, or the queue is shut down
  std::unordered_map<k8s::Key, Due, KeyHash> due_;
  std::set<std::pair<SteadyTime, k8s::Key>> by_time_;  ///< the entries of `due_`, ordered by time
  std::condition_variable_any delays_changed_;
  std::stop_source sooner_;  ///< ends the wait for a delay when an earlier one is added
  bool shut_down_ = false;
  std::jthread delays_;  ///< the last member: it uses the others
};

}  // namespace fairway::kube
