// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/resource_cache.h"

#include <algorithm>
#include <map>

#include "apiserver/internal/storage/path_range.h"

namespace fairway::apiserver::storage {

namespace {

/// Objects that events after a revision changed, in their state at that revision, by path; null: there was
/// none.
using Changed = std::map<std::string_view, RecordPtr>;

/// Returns the range of a query in a snapshot, with later changes undone.
List walk(const SortedRecords::Snapshot& snapshot, const Changed& changed, const ListQuery& query) {
  const auto [begin, end] = PathRange::of(query.namespace_name);
  // Nothing of the namespace follows, whatever follows.
  if (query.after >= end) return {};
  auto position = snapshot.lower_bound(begin);
  auto change = changed.lower_bound(begin);
  if (!query.after.empty() && query.after >= begin) {
    // Not before the first path that is greater.
    position = snapshot.lower_bound(query.after);
    if (!snapshot.at_end(position) && snapshot.record(position)->path() == query.after)
      snapshot.advance(position);
    change = changed.upper_bound(query.after);
  }
  auto last = snapshot.lower_bound(end);
  auto last_change = changed.lower_bound(end);
  // A position after the namespace counts nothing.
  auto left = [&] {
    bool before =
        position.chunk < last.chunk || (position.chunk == last.chunk && position.index < last.index);
    return before ? snapshot.count(position, last) : 0;
  };
  List list;
  auto full = [&] { return query.limit != 0 && list.records.size() == query.limit; };
  std::size_t remaining = left();
  if (changed.empty()) {
    const std::size_t count = query.limit == 0 ? remaining : std::min(query.limit, remaining);
    snapshot.append_to(list.records, position, count);
    list.remaining = remaining - count;
    return list;
  }
  while (!full() && (remaining > 0 || change != last_change)) {
    const RecordPtr* record = remaining > 0 ? &snapshot.record(position) : nullptr;
    bool from_change = change != last_change && (record == nullptr || change->first <= (*record)->path());
    if (!from_change || (record != nullptr && change->first == (*record)->path())) {
      if (!from_change) list.records.push_back(*record);
      snapshot.advance(position);
      --remaining;
    }
    if (from_change) {
      if (change->second != nullptr) list.records.push_back(change->second);
      ++change;
    }
  }
  list.remaining = remaining;
  for (; change != last_change; ++change) {
    bool now = snapshot.find(change->first) != nullptr;
    if (now && change->second == nullptr) --list.remaining;
    if (!now && change->second != nullptr) ++list.remaining;
  }
  return list;
}

}  // namespace

void ResourceCache::load(Loaded state, Revision at) {
  std::lock_guard lock(mutex_);
  for (auto& record : state.records) {
    record_bytes_ += record->json().size();
    records_.append(std::move(record));
  }
  base_ = state.base;
  last_ = at;
  for (auto& event : state.events) push(std::move(event));
  loaded_.store(true, std::memory_order_release);
}

void ResourceCache::push(EventPtr event) {
  // As much as a ring may be beyond its bound by frames that were made meanwhile. To count a large one often
  // would cost more than to write.
  const std::size_t measured_events = std::max<std::size_t>(256, ring_.size() / 8);
  last_ = std::max(last_, event->revision());
  const std::size_t bytes = event->memory();
  ++pushed_;
  pushed_bytes_ += event->record->json().size();
  bytes_in_ring_ += bytes;
  ring_.push_back({std::move(event), bytes});
  if (pushed_ >= measured_events || pushed_bytes_ >= ring_bytes_ / 4) measure();
  while (ring_.size() > ring_events_ || (bytes_in_ring_ > ring_bytes_ && ring_.size() > 1)) pop_front();
}

void ResourceCache::pop_front() {
  bytes_in_ring_ -= ring_.front().bytes;
  base_ = ring_.front().event->revision();
  ring_.pop_front();
  ++first_;
}

void ResourceCache::measure() {
  pushed_ = pushed_bytes_ = bytes_in_ring_ = 0;
  for (auto& [event, bytes] : ring_) {
    bytes = event->memory();
    bytes_in_ring_ += bytes;
  }
}

void ResourceCache::forget(Revision revision) {
  std::lock_guard lock(mutex_);
  while (!ring_.empty() && ring_.front().event->revision() <= revision) pop_front();
  base_ = std::max(base_, revision);
}

void ResourceCache::wake_those_before(Revision revision) {
  const auto first = cursor_after(revision);
  if (!first || *first == 0) return;
  std::lock_guard lock(subscribers_mutex_);
  for (auto* subscriber : subscribers_) subscriber->wake({}, *first - 1);
}

void ResourceCache::apply(const std::vector<EventPtr>& events) {
  std::lock_guard lock(mutex_);
  for (const auto& event : events) {
    if (event->previous != nullptr) record_bytes_ -= event->previous->json().size();
    if (event->type == EventType::deleted) {
      records_.erase(event->record->path());
    } else {
      record_bytes_ += event->record->json().size();
      records_.put(event->record);
    }
    push(event);
  }
}

void ResourceCache::invalidate() {
  std::unique_lock lock(mutex_);
  const auto snapshot = records_.snapshot();
  lock.unlock();
  // Nobody else changes the records meanwhile; readers may come in between.
  for (auto position = snapshot.lower_bound(""); !snapshot.at_end(position); snapshot.advance(position)) {
    const RecordPtr& record = snapshot.record(position);
    auto copy = record->at(record->revision());
    const std::lock_guard change(mutex_);
    records_.put(std::move(copy));
  }
}

void ResourceCache::wake_subscribers(const std::vector<EventPtr>& events) {
  std::lock_guard lock(subscribers_mutex_);
  std::uint64_t middle = 0;
  {
    std::lock_guard data(mutex_);
    middle = first_ + ring_.size() / 2;
  }
  for (auto* subscriber : subscribers_) subscriber->wake(events, middle);
}

RecordPtr ResourceCache::find(std::string_view path) const {
  std::lock_guard lock(mutex_);
  return records_.find(path);
}

List ResourceCache::list(const ListQuery& query, Revision current) {
  std::unique_lock lock(mutex_);
  auto snapshot = records_.snapshot();
  // The snapshot may be newer than `current`, which was read before.
  auto revision = std::max(current, last_);
  lock.unlock();
  auto list = walk(snapshot, {}, query);
  list.revision = revision;
  return list;
}

std::optional<List> ResourceCache::past_list(const ListQuery& query) {
  std::vector<EventPtr> newer;
  std::unique_lock lock(mutex_);
  if (query.revision < base_) return std::nullopt;
  for (auto event = ring_.rbegin(); event != ring_.rend() && event->event->revision() > query.revision;
       ++event) {
    newer.push_back(event->event);
  }
  auto snapshot = records_.snapshot();
  lock.unlock();
  Changed changed;
  // From the newest to the oldest: that after `revision` knows what was then.
  for (const auto& event : newer) changed[event->record->path()] = event->previous;
  auto list = walk(snapshot, changed, query);
  list.revision = query.revision;
  return list;
}

ResourceCache::Past ResourceCache::past(std::string_view path, Revision revision) const {
  std::lock_guard lock(mutex_);
  if (revision < base_) return {};
  Past past{true, records_.find(path)};
  for (auto event = ring_.rbegin(); event != ring_.rend() && event->event->revision() > revision; ++event) {
    if (event->event->record->path() == path) past.record = event->event->previous;
  }
  return past;
}

ResourceCache::Slice ResourceCache::read(std::uint64_t cursor, std::string_view namespace_name,
                                         std::size_t limit) const {
  Slice slice;
  std::lock_guard lock(mutex_);
  slice.last = base_;
  if (cursor < first_) {
    slice.overtaken = true;
    return slice;
  }
  auto end = first_ + ring_.size();
  std::size_t bytes = 0;
  for (; cursor < end && slice.events.size() < limit; ++cursor) {
    const auto& event = ring_[static_cast<std::size_t>(cursor - first_)].event;
    if (namespace_name.empty() || event->record->namespace_name() == namespace_name) {
      bytes += event->record->json().size();
      // Whoever is slow to deliver them keeps them in memory.
      if (bytes > most_batch_bytes && !slice.events.empty()) break;
      slice.events.push_back(event);
    }
    slice.last = event->revision();
  }
  slice.cursor = cursor;
  slice.drained = cursor == end;
  return slice;
}

std::optional<std::uint64_t> ResourceCache::cursor_after(Revision revision) const {
  std::lock_guard lock(mutex_);
  if (revision < base_) return std::nullopt;
  auto found = std::partition_point(ring_.begin(), ring_.end(),
                                    [&](const Held& one) { return one.event->revision() <= revision; });
  return first_ + static_cast<std::uint64_t>(found - ring_.begin());
}

Revision ResourceCache::base() const {
  std::lock_guard lock(mutex_);
  return base_;
}

std::uint64_t ResourceCache::next_cursor() const {
  std::lock_guard lock(mutex_);
  return first_ + ring_.size();
}

std::size_t ResourceCache::objects() const {
  std::lock_guard lock(mutex_);
  return records_.size();
}

std::size_t ResourceCache::bytes() const {
  std::lock_guard lock(mutex_);
  return record_bytes_;
}

}  // namespace fairway::apiserver::storage
