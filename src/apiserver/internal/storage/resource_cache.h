// SPDX-License-Identifier: Apache-2.0

// One resource in memory: its latest objects, and a ring of its last events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/storage/history.h"
#include "apiserver/internal/storage/sorted_records.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// A watch that wants to be woken. It registers with the cache of its resource.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  // Both are called with the cache's subscribers locked.
  /// Called when there are new events. A subscriber that has read less than up to the number `middle` may be
  /// overtaken soon.
  virtual void wake(const std::vector<EventPtr>& events, std::uint64_t middle) = 0;
  /// Called at the end of the watch. `dropped` comes after the existing events, `closed` at once.
  virtual void end(WatchEnd end) = 0;
};

class ResourceCache {
 public:
  ResourceCache(std::string name, std::size_t ring_events, std::size_t ring_bytes)
      : name_(std::move(name)), ring_events_(ring_events), ring_bytes_(ring_bytes) {}

  const std::string& name() const { return name_; }

  // By the writer's thread only:
  /// Id in the file; 0 before the first write.
  std::int64_t id = 0;
  bool loaded() const { return loaded_.load(std::memory_order_acquire); }
  /// Loads a state. `at`: the revision of `state`.
  void load(Loaded state, Revision at);
  /// Applies events in their order, all newer than the existing ones.
  void apply(const std::vector<EventPtr>& events);
  void wake_subscribers(const std::vector<EventPtr>& events);
  /// Replaces all records by copies without computed values.
  void invalidate();
  /// Removes the events up to `revision`. Watches that have not read them are overtaken.
  void forget(Revision revision);
  /// Wakes the watches that have not read up to `revision`, before those events are removed.
  void wake_those_before(Revision revision);

  // By any thread, once it is loaded:
  RecordPtr find(std::string_view path) const;
  /// Returns the latest state of a range of paths.
  List list(const ListQuery& query, Revision current);
  /// Returns the state of a range as of the query's revision; std::nullopt: the ring does not go back that
  /// far.
  std::optional<List> past_list(const ListQuery& query);
  struct Past {
    bool known = false;
    RecordPtr record;
  };
  Past past(std::string_view path, Revision revision) const;

  /// Events by their number since the start.
  struct Slice {
    bool overtaken = false;        ///< the ring no longer has the event at `cursor`
    std::vector<EventPtr> events;  ///< events of the namespace
    std::uint64_t cursor = 0;      ///< the next event
    bool drained = false;
    Revision last = 0;  ///< revision of the last event up to `cursor`
  };
  Slice read(std::uint64_t cursor, std::string_view namespace_name, std::size_t limit) const;
  /// Returns the number of the first event after `revision`; std::nullopt: the ring begins later.
  std::optional<std::uint64_t> cursor_after(Revision revision) const;
  /// Returns the revision after which the ring has all events.
  Revision base() const;
  std::uint64_t next_cursor() const;
  std::size_t objects() const;
  std::size_t bytes() const;

  /// Mutex that guards the subscribers and the functions that they call.
  std::mutex& subscribers_mutex() { return subscribers_mutex_; }
  /// The subscribers; that mutex has to be held.
  std::set<Subscriber*>& subscribers() { return subscribers_; }

 private:
  /// An event, and the memory that is counted for it.
  struct Held {
    EventPtr event;
    std::size_t bytes;
  };
  void push(EventPtr event);
  void pop_front();
  /// Measures the ring again: frames are made from events after these came.
  void measure();

  const std::string name_;
  const std::size_t ring_events_, ring_bytes_;
  std::atomic<bool> loaded_{false};

  mutable std::mutex mutex_;  ///< guards the members below; held for microseconds
  SortedRecords records_;
  std::size_t record_bytes_ = 0;
  std::deque<Held> ring_;
  std::size_t bytes_in_ring_ = 0;
  std::size_t pushed_ = 0, pushed_bytes_ = 0;  ///< events and bytes since the ring was measured
  std::uint64_t first_ = 0;                    ///< the number of the ring's first event
  Revision base_ = 0;
  Revision last_ = 0;  ///< revision of the last event, or of the load

  std::mutex subscribers_mutex_;
  std::set<Subscriber*> subscribers_;
};

}  // namespace fairway::apiserver::storage
