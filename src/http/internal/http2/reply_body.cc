// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/reply_body.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace fairway::http {

void ReplyBody::set(Bytes whole) {
  waiting_ = whole->size();
  pieces_.push_back(std::move(whole));
}

void ReplyBody::attach(std::shared_ptr<StreamQueue> queue, EventLoop& loop, StreamReader& reader) {
  queue_ = std::move(queue);
  queue_->attach(loop, reader);
  end_ = State::open;
}

void ReplyBody::drop() {
  if (queue_) queue_->detach();
  queue_.reset();
  end_ = State::ended;
  pieces_.clear();
  offset_ = waiting_ = 0;
}

void ReplyBody::ask_to_end() {
  if (queue_) queue_->ask_to_end();
}

std::size_t ReplyBody::ready(std::size_t most, State& after) {
  if (waiting_ < most && queue_ && end_ == State::open) {
    std::vector<Bytes> more;
    const StreamQueue::End end = queue_->take(more);
    if (end != StreamQueue::End::open) {
      end_ = end == StreamQueue::End::broken ? State::broken : State::ended;
    }
    for (Bytes& piece : more) {
      waiting_ += piece->size();
      pieces_.push_back(std::move(piece));
    }
  }
  after = waiting_ <= most ? end_ : State::open;
  return std::min(waiting_, most);
}

void ReplyBody::move_to(OutputQueue& out, std::size_t bytes) {
  waiting_ -= bytes;
  if (queue_) queue_->sent(bytes);
  while (bytes > 0) {
    const Bytes& first = pieces_.front();
    const std::size_t step = std::min(bytes, first->size() - offset_);
    out.append(std::string_view(*first).substr(offset_, step));
    bytes -= step;
    offset_ += step;
    if (offset_ < first->size()) continue;
    pieces_.pop_front();
    offset_ = 0;
  }
}

bool ReplyBody::waits() const {
  return waiting_ > 0 || (queue_ && queue_->share() > 0);
}

std::size_t ReplyBody::cost() const {
  std::size_t bytes = queue_ ? queue_->share() : 0;
  for (const Bytes& piece : pieces_) {
    // A whole reply that others hold, too, is the server's own, most likely, and there in any case.
    if (queue_) bytes += share_of(piece);
    if (!queue_ && piece.use_count() == 1) bytes += piece->size();
  }
  return bytes;
}

}  // namespace fairway::http
