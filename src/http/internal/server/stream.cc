// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/stream.h"

#include <algorithm>
#include <utility>

namespace fairway::http {
namespace {

/// Bytes after which a connection whose client does not read is notified again, to count the waiting bytes.
constexpr std::size_t told_bytes = 64 << 10;

}  // namespace

std::shared_ptr<Stream> Stream::make(std::size_t capacity_bytes) {
  return std::make_shared<StreamHandle>(std::make_shared<StreamQueue>(capacity_bytes));
}

void StreamQueue::enqueue(Bytes piece) {
  held_ += piece->size();
  untold_ += piece->size();
  waiting_.push_back(std::move(piece));
  wake();
}

void StreamQueue::wake() {
  if (loop_ == nullptr || (woken_ && untold_ < told_bytes)) return;
  woken_ = true;
  untold_ = 0;
  loop_->post([self = shared_from_this()] {
    if (self->reader_ != nullptr) self->reader_->on_stream();
  });
}

bool StreamQueue::try_push(Bytes piece) {
  const std::scoped_lock lock(mutex_);
  if (gone_ || end_ != End::open) return false;
  if (!piece || piece->empty()) return true;
  if (!takes(piece->size())) return false;
  enqueue(std::move(piece));
  return true;
}

Result<void> StreamQueue::push(Bytes piece, SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  const std::size_t size = piece ? piece->size() : 0;
  const bool in_time =
      room_.wait_until(lock, deadline, [&] { return gone_ || end_ != End::open || takes(size); });
  if (gone_ || end_ != End::open) {
    return fail(ErrorCode::cancelled, "streaming a reply: the client is gone");
  }
  if (!in_time) return fail(ErrorCode::deadline_exceeded, "streaming a reply: the client reads too slowly");
  if (size > 0) enqueue(std::move(piece));
  return {};
}

bool StreamQueue::has_room() {
  const std::scoped_lock lock(mutex_);
  return is_half_empty();
}

void StreamQueue::on_room(std::function<void()> ready) {
  {
    const std::scoped_lock lock(mutex_);
    const bool now = gone_ || end_ != End::open || is_half_empty();
    if (!now || !ready) {
      on_room_ = std::move(ready);
      return;
    }
  }
  ready();
}

void StreamQueue::close(bool broken) {
  const std::scoped_lock lock(mutex_);
  if (end_ != End::open) return;
  end_ = broken ? End::broken : End::closed;
  room_.notify_all();
  wake();
}

void StreamQueue::attach(EventLoop& loop, StreamReader& reader) {
  reader_ = &reader;
  const std::scoped_lock lock(mutex_);
  loop_ = &loop;
}

void StreamQueue::detach() {
  reader_ = nullptr;
  std::function<void()> ready;
  {
    const std::scoped_lock lock(mutex_);
    ready = std::exchange(on_room_, {});
    gone_ = true;
    loop_ = nullptr;
    waiting_.clear();
    held_ = 0;
  }
  // Callbacks of the token may call back into this queue: the lock is not held.
  cancel_.request_stop();
  room_.notify_all();
  if (ready) ready();
}

StreamQueue::End StreamQueue::take(std::vector<Bytes>& pieces) {
  const std::scoped_lock lock(mutex_);
  woken_ = false;
  for (Bytes& piece : waiting_) pieces.push_back(std::move(piece));
  waiting_.clear();
  return end_;
}

std::size_t StreamQueue::share() {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const Bytes& piece : waiting_) bytes += share_of(piece);
  return bytes;
}

void StreamQueue::sent(std::size_t bytes) {
  std::function<void()> ready;
  {
    const std::scoped_lock lock(mutex_);
    held_ -= std::min(bytes, held_);
    if (is_half_empty()) ready = std::exchange(on_room_, {});
    room_.notify_all();
  }
  if (ready) ready();
}

}  // namespace fairway::http
