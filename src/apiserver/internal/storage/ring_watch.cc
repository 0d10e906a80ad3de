// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/ring_watch.h"

#include <algorithm>

namespace fairway::apiserver::storage {

RingWatch::RingWatch(std::shared_ptr<WatchSource> source, std::shared_ptr<ResourceCache> cache,
                     const WatchQuery& query)
    : source_(std::move(source)),
      cache_(std::move(cache)),
      namespace_name_(query.namespace_name),
      delivered_(query.from),
      cursor_(cache_->cursor_after(query.from)) {
  std::lock_guard lock(cache_->subscribers_mutex());
  cache_->subscribers().insert(this);
  ++source_->watches;
}

RingWatch::~RingWatch() {
  std::lock_guard lock(cache_->subscribers_mutex());
  cache_->subscribers().erase(this);
  --source_->watches;
}

WatchBatch RingWatch::ended(WatchBatch batch, WatchEnd end, std::string reason) {
  if (!end_) {
    end_ = end;
    reason_ = std::move(reason);
  }
  batch.revision = delivered_;
  batch.end = end_;
  batch.reason = reason_;
  return batch;
}

WatchBatch RingWatch::poll(std::size_t limit) {
  if (end_) return ended({}, *end_, {});
  // Read first: events that were there when the end was asked for are there afterwards.
  int requested = requested_end_.load(std::memory_order_acquire);
  if (requested == static_cast<int>(WatchEnd::closed) + 1) {
    return ended({}, WatchEnd::closed, "the storage was closed");
  }
  if (!cursor_) {
    if (page_at_ == page_.events.size()) cursor_ = cache_->cursor_after(delivered_);
    if (!cursor_) return poll_file(limit);
    page_ = {};
    page_at_ = 0;
  }
  // Before the ring: all events up to this revision are there.
  auto current = source_->revision();
  auto slice = cache_->read(*cursor_, namespace_name_, limit);
  if (slice.overtaken) {
    ++source_->slow_watches;
    return ended({}, WatchEnd::slow,
                 "the watch was too slow: newer events took the place of those it had not read");
  }
  cursor_ = slice.cursor;
  position_.store(slice.cursor, std::memory_order_release);
  WatchBatch batch;
  batch.events = std::move(slice.events);
  delivered_ = std::max({delivered_, slice.last, slice.drained ? current : 0});
  batch.revision = delivered_;
  if (slice.drained && requested != 0) {
    return ended(std::move(batch), static_cast<WatchEnd>(requested - 1), "the resource is no longer served");
  }
  return batch;
}

WatchBatch RingWatch::poll_file(std::size_t limit) {
  WatchBatch batch;
  if (page_at_ == page_.events.size()) {
    auto page = source_->past_events(cache_->name(), delivered_);
    if (!page) {
      bool compacted = page.error().kind == ReadError::Kind::compacted;
      return ended({}, compacted ? WatchEnd::compacted : WatchEnd::failed, page.error().error.message);
    }
    page_ = std::move(*page);
    page_at_ = 0;
  }
  std::size_t bytes = 0;
  for (; page_at_ < page_.events.size() && batch.events.size() < limit; ++page_at_) {
    auto& event = page_.events[page_at_];
    const Revision revision = event->revision();
    if (namespace_name_.empty() || event->record->namespace_name() == namespace_name_) {
      bytes += event->record->json().size();
      if (bytes > most_batch_bytes && !batch.events.empty()) break;
      batch.events.push_back(std::move(event));
    }
    delivered_ = revision;
  }
  if (page_at_ == page_.events.size()) delivered_ = std::max(delivered_, page_.upto);
  batch.revision = delivered_;
  return batch;
}

void RingWatch::on_ready(std::function<void()> ready) {
  std::lock_guard lock(cache_->subscribers_mutex());
  ready_ = std::move(ready);
  if (!ready_) return;
  // Whoever adds events wakes with this mutex afterwards.
  bool more = end_ || !cursor_ || requested_end_ != 0 || cache_->next_cursor() != *cursor_;
  if (more) call_ready();
}

void RingWatch::wake(const std::vector<EventPtr>& events, std::uint64_t middle) {
  if (!ready_) return;
  // Not for the events of other namespaces, unless they fill the ring.
  bool concerned = namespace_name_.empty() || position_.load(std::memory_order_acquire) <= middle ||
                   std::any_of(events.begin(), events.end(), [&](const EventPtr& event) {
                     return event->record->namespace_name() == namespace_name_;
                   });
  if (concerned) call_ready();
}

void RingWatch::call_ready() {
  if (auto ready = std::exchange(ready_, nullptr)) ready();
}

void RingWatch::end(WatchEnd end) {
  int none = 0;
  int value = static_cast<int>(end) + 1;
  if (end == WatchEnd::closed) {
    requested_end_.store(value, std::memory_order_release);
  } else {
    requested_end_.compare_exchange_strong(none, value, std::memory_order_acq_rel);
  }
  call_ready();
}

}  // namespace fairway::apiserver::storage
