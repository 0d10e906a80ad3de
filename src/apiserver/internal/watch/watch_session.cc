// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/watch/watch_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::watch {
namespace {

using namespace std::chrono_literals;

constexpr auto bookmark_period = 60s;
/// Size of a piece of initial objects, about, and of the events that are taken together.
constexpr std::size_t piece_bytes = 256 << 10;
/// Number of events or records for a piece.
constexpr std::size_t most_at_once = 256;
/// Time that initial objects are kept for a client that takes none of them. Then they are read again, page by
/// page, as it goes on.
constexpr auto stall_timeout = 1s;

/// Returns the number of objects that have about the size of a piece, if `count` of them have `bytes`.
std::size_t fitting(std::size_t count, std::size_t bytes) {
  return std::clamp<std::size_t>(piece_bytes * count / (bytes + 1), 1, most_at_once);
}

}  // namespace

void WatchSession::begin() {
  fed_ = feeder_.clock().steady();
  next_bookmark_ = fed_ + bookmark_period;
  cancelled_.emplace(spec_.stream->cancelled(), waker());
  retired_.emplace(spec_.form->resource().retired, waker());
  schedule();
}

void WatchSession::cut() {
  cut_ = true;
  feeder_.enqueue(shared_from_this());
}

WatchSession::Source WatchSession::source() const {
  if (spec_.form->resource().strategy->converts_by_webhook()) return Source::webhook;
  const bool reads = rereads_ || (spec_.events != nullptr && spec_.events->may_block());
  return reads ? Source::file : Source::memory;
}

std::string WatchSession::flow() const {
  // One that waits for a resource's turn is in nobody's way but those of the same.
  return source() == Source::webhook ? spec_.flow + "\n" + spec_.form->resource().storage : spec_.flow;
}

WatchSession::State WatchSession::feed(Source source) {
  std::size_t read = 0;  // bytes of events
  bool turn_is_over = false;
  fed_ = feeder_.clock().steady();
  while (true) {
    if (cut_ || spec_.stream->cancelled().stop_requested()) return State::ended;
    if (!push_pieces()) return stall();
    if (ends_) return State::ended;
    // Nothing is made for a client that has not taken the last.
    if (!spec_.stream->has_room()) return stall();
    end_stall();
    if (turn_is_over || this->source() > source) return State::ready;
    if (has_initial()) {
      add_initial();
      turn_is_over = true;
      continue;
    }
    if (spec_.initial_end) {
      add_bookmark(*spec_.initial_end, true);
      spec_.initial_end.reset();
      continue;
    }
    const SteadyTime now = feeder_.clock().steady();
    if (now >= spec_.until) return State::ended;
    // Asked first: what happened before it is delivered.
    const bool is_retired = spec_.form->resource().retired.stop_requested();
    // Also where no event is for this client: to look at it takes time.
    if (const std::size_t more = add_events(); more > 0 || ends_) {
      read += more;
      turn_is_over = source == Source::file || read >= piece_bytes;
      continue;
    }
    if (is_retired && !spec_.events->may_block()) return State::ended;
    if (spec_.bookmarks && now >= next_bookmark_) {
      next_bookmark_ = now + bookmark_period;
      schedule();
      add_bookmark(spec_.events->revision(), false);
      continue;
    }
    spec_.events->on_ready(waker());
    return State::waiting;
  }
}

void WatchSession::release() {
  cancelled_.reset();
  retired_.reset();
  if (spec_.events) spec_.events->on_ready({});
  spec_.stream->on_room({});
  spec_.events.reset();
  // Half an event is told from a whole one.
  spec_.stream->close(in_line_ || cut_);
}

SteadyTime WatchSession::next_time() const {
  SteadyTime at = spec_.until;
  // One that has no room for a bookmark goes on when it has room.
  if (spec_.bookmarks && !stalled_since_) at = std::min(at, next_bookmark_);
  return std::min(at, rest_time());
}

SteadyTime WatchSession::rest_time() const {
  return may_release() ? stalled_since_.value_or(fed_) + stall_timeout : SteadyTime::max();
}

bool WatchSession::rest(SteadyTime now) {
  if (now < rest_time()) return false;
  // They would be kept as they were for as long as the client likes.
  rereads_ = true;
  spec_.initial = {};
  next_initial_ = 0;
  return true;
}

void WatchSession::end_stall() {
  if (!std::exchange(stalled_since_, std::nullopt)) return;
  schedule();
}

std::function<void()> WatchSession::waker() {
  return [weak = weak_from_this(), this] {
    if (const auto self = weak.lock()) feeder_.enqueue(self);
  };
}

bool WatchSession::push_pieces() {
  while (next_piece_ < pieces_.size()) {
    if (!spec_.stream->try_push(pieces_[next_piece_])) return false;
    if (!pieces_[next_piece_]->empty()) in_line_ = !spec_.form->ends_event(*pieces_[next_piece_]);
    pieces_[next_piece_++].reset();
    end_stall();
  }
  pieces_.clear();
  next_piece_ = 0;
  return true;
}

WatchSession::State WatchSession::stall() {
  if (spec_.stream->cancelled().stop_requested()) return State::ended;
  const SteadyTime now = feeder_.clock().steady();
  if (now >= spec_.until) return State::ended;
  if (!stalled_since_) {
    stalled_since_ = now;
    if (may_release()) schedule();
  } else if (rest(now)) {
    schedule();
  }
  spec_.stream->on_room(waker());
  return State::waiting;
}

bool WatchSession::reread_initial() {
  spec_.initial_query.after = last_initial_;
  spec_.initial_query.limit = records_at_once_;
  spec_.initial_query.counts = false;
  auto page = spec_.storage->list(spec_.initial_query);
  if (!page) {
    if (page.error().kind == storage::ReadError::Kind::compacted) {
      add_error(k8s::answer::expired("the initial objects are too old: they were not read in time"));
    } else {
      add_error(k8s::answer::internal_error(page.error().error.message));
    }
    return false;
  }
  const auto add_bytes = [](std::size_t sum, const auto& record) { return sum + record->json().size(); };
  const std::size_t bytes =
      std::accumulate(page->records.begin(), page->records.end(), std::size_t{0}, add_bytes);
  if (!page->records.empty()) records_at_once_ = fitting(page->records.size(), bytes);
  rereads_ = page->remaining > 0 && !page->records.empty();
  // The last ones may not be selected.
  page_end_ = page->records.empty() ? last_initial_ : page->records.back()->path();
  std::erase_if(page->records, [&](const auto& record) { return !spec_.selection.matches(*record); });
  spec_.initial = std::move(page->records);
  next_initial_ = 0;
  if (spec_.initial.empty()) last_initial_ = page_end_;
  return true;
}

void WatchSession::add_initial() {
  if (!holds_initial() && !reread_initial()) return;
  std::string lines;
  std::size_t bytes = 0, read = 0;
  // A short output may take long if much is read for it, so that the size of what is read counts as well.
  for (; holds_initial() && std::max(bytes + lines.size(), read) < piece_bytes; ++next_initial_) {
    const storage::RecordPtr record = std::move(spec_.initial[next_initial_]);
    read += record->json().size();
    const std::size_t before = pieces_.size();
    const auto done = spec_.form->append_initial(pieces_, lines, record, std::exchange(first_, false));
    if (!done) return add_error(done.error());
    for (std::size_t i = before; i < pieces_.size(); ++i) bytes += pieces_[i]->size();
    last_initial_ = record->path();
  }
  if (!lines.empty()) pieces_.push_back(http::make_bytes(std::move(lines)));
  if (!holds_initial()) {
    spec_.initial = {};
    next_initial_ = 0;
    if (!page_end_.empty()) last_initial_ = page_end_;
  }
}

std::size_t WatchSession::add_events() {
  if (next_event_ == batch_.size()) {
    batch_.clear();
    next_event_ = 0;
    storage::WatchBatch batch = spec_.events->poll(events_at_once_);
    batch_ = std::move(batch.events);
    end_ = batch.end;
    end_reason_ = std::move(batch.reason);
  }
  const std::size_t first = next_event_;
  std::size_t read = 0, made = 0;
  while (next_event_ < batch_.size() && !ends_ && std::max(read, made) < piece_bytes) {
    const storage::EventPtr event = std::move(batch_[next_event_++]);
    const std::size_t before = pieces_.size();
    read += event->record->json().size() + 1;
    add(*event);
    for (std::size_t i = before; i < pieces_.size(); ++i) made += pieces_[i]->size();
  }
  if (next_event_ > first) events_at_once_ = fitting(next_event_ - first, std::max(read, made));
  if (next_event_ == batch_.size() && end_ && !ends_) {
    ends_ = true;
    if (*end_ == storage::WatchEnd::compacted) add_error(k8s::answer::expired(end_reason_));
  }
  return read;
}

void WatchSession::add(const storage::Event& event) {
  const bool is = event.type != storage::EventType::deleted && spec_.selection.matches(*event.record);
  const bool was = event.previous != nullptr && spec_.selection.matches(*event.previous);
  if (!is && !was) return;
  const bool first = std::exchange(first_, false);
  const auto done = [&]() -> k8s::StatusResult<void> {
    using Type = k8s::WatchEvent::Type;
    if (is) return spec_.form->append_frame(pieces_, event, was ? Type::modified : Type::added, first);
    if (event.type == storage::EventType::deleted) {
      return spec_.form->append_frame(pieces_, event, Type::deleted, first);
    }
    auto frame = spec_.form->frame_of_leaving(event, first);
    if (!frame) return std::unexpected(frame.error());
    pieces_.push_back(*std::move(frame));
    return {};
  }();
  if (!done) add_error(done.error());
}

void WatchSession::add_bookmark(storage::Revision revision, bool ends_initial) {
  std::string line;
  spec_.form->append_bookmark(line, revision, ends_initial, std::exchange(first_, false));
  pieces_.push_back(http::make_bytes(std::move(line)));
}

void WatchSession::add_error(const k8s::Status& status) {
  std::string line;
  spec_.form->append_error(line, status);
  pieces_.push_back(http::make_bytes(std::move(line)));
  ends_ = true;
  next_initial_ = spec_.initial.size();
  rereads_ = false;
  spec_.initial_end.reset();
}

}  // namespace fairway::apiserver::watch
