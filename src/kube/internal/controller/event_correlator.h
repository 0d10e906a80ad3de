// SPDX-License-Identifier: Apache-2.0

// The correlation of events: repeated ones are counted, floods are limited. No I/O.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "k8s/core.h"
#include "kube/controller/event_limits.h"
#include "kube/internal/client/token_bucket.h"

namespace fairway::kube {

/// A cache of values by key; the least recently used value is dropped first.
template <class Value>
class LruCache {
 public:
  explicit LruCache(std::size_t capacity) : capacity_(capacity) {}
  /// Returns the value of a key, which is created if it is not in the cache.
  template <class... Arguments>
  Value& at(const std::string& key, Arguments&&... arguments) {
    if (const auto found = index_.find(key); found != index_.end()) {
      values_.splice(values_.begin(), values_, found->second);
      return values_.front().second;
    }
    if (values_.size() >= capacity_) {
      index_.erase(values_.back().first);
      values_.pop_back();
    }
    values_.emplace_front(std::piecewise_construct, std::forward_as_tuple(key),
                          std::forward_as_tuple(std::forward<Arguments>(arguments)...));
    index_[key] = values_.begin();
    return values_.front().second;
  }
  /// Returns the value of a key; nullptr if it is not in the cache.
  Value* find(const std::string& key) {
    const auto found = index_.find(key);
    return found != index_.end() ? &found->second->second : nullptr;
  }

 private:
  const std::size_t capacity_;
  std::list<std::pair<std::string, Value>> values_;
  std::unordered_map<std::string, typename std::list<std::pair<std::string, Value>>::iterator> index_;
};

/// Counts, aggregates and limits events by the rules of client-go's EventCorrelator. Must be used by one
/// thread only.
class EventCorrelator {
 public:
  EventCorrelator(const EventLimits& limits, Clock& clock);

  struct Sending {
    /// The event, with name, count, and first and last time.
    k8s::Event event = {};
    /// True if it was written before, under this name: only the count, the last time and the message are new.
    bool is_update = false;
    /// Key to pass to `written`.
    std::string key = {};
  };
  /// Returns the event to send for `event`, which has everything but name, count and times. std::nullopt:
  /// there were too many events of this source about this object.
  std::optional<Sending> correlate(k8s::Event event);
  /// Marks an event as sent: from now on it is updated. Until then it is created again.
  void written(const std::string& key);

 private:
  struct Similar {
    std::set<std::string> messages = {};
    SteadyTime last{};
  };
  struct Counted {
    std::string name = {};
    std::int64_t count = 0;
    WallTime first{};
    bool written = false;
  };

  const EventLimits limits_;
  Clock& clock_;
  LruCache<TokenBucket> buckets_;
  LruCache<Similar> similar_;
  LruCache<Counted> counted_;
  std::uint64_t last_name_ = 0;
};

}  // namespace fairway::kube
