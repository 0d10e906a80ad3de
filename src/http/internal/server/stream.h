// SPDX-License-Identifier: Apache-2.0

// The queue behind a streamed reply.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "http/internal/server/event_loop.h"
#include "http/message.h"

namespace fairway::http {

/// Returns the bytes that a stream is charged for a chunk while it waits for its reader: all holders of a
/// chunk share its size.
inline std::size_t share_of(const Bytes& bytes) {
  const auto holders = bytes.use_count();
  return holders > 1 ? bytes->size() / static_cast<std::size_t>(holders) : bytes->size();
}

/// The connection's side of a stream.
class StreamReader {
 public:
  /// Called when new chunks wait, or the stream has ended. On the loop's thread.
  virtual void on_stream() = 0;

 protected:
  ~StreamReader() = default;
};

/// The queue of a stream. One end is the producer's (`Stream`, all threads), the other the connection's (its
/// loop's thread).
class StreamQueue : public std::enable_shared_from_this<StreamQueue> {
 public:
  explicit StreamQueue(std::size_t capacity) : capacity_(capacity) {}

  bool try_push(Bytes piece);
  Result<void> push(Bytes piece, SteadyTime deadline);
  void close(bool broken);
  std::stop_token cancelled() const { return cancel_.get_token(); }
  bool has_room();
  void on_room(std::function<void()> ready);

  /// Called by the connection when it begins to read; it must `take` once by itself.
  void attach(EventLoop& loop, StreamReader& reader);
  /// Called when the connection has ended: waiting producers get an error, and all further chunks are
  /// refused.
  void detach();
  /// Asks the producer to end; chunks that it still pushes are sent.
  void ask_to_end() { cancel_.request_stop(); }

  enum class End { open, closed, broken };
  /// Moves the waiting chunks into `pieces` and returns whether more may come. Their bytes still count until
  /// `sent`.
  End take(std::vector<Bytes>& pieces);
  /// Called when so many bytes of the taken chunks have been written.
  void sent(std::size_t bytes);
  /// The share that it holds of the bytes that wait to be taken.
  std::size_t share();

 private:
  bool takes(std::size_t bytes) const { return is_half_empty() || held_ + bytes <= capacity_; }
  bool is_half_empty() const { return held_ <= capacity_ / 2; }
  void enqueue(Bytes piece);
  void wake();

  const std::size_t capacity_;
  std::stop_source cancel_;
  std::mutex mutex_;
  std::condition_variable_any room_;
  std::function<void()> on_room_;
  std::deque<Bytes> waiting_;
  std::size_t held_ = 0;  ///< bytes queued or being sent
  End end_ = End::open;
  bool gone_ = false;
  bool woken_ = false;
  std::size_t untold_ = 0;  ///< bytes that were queued since the connection was woken
  EventLoop* loop_ = nullptr;
  StreamReader* reader_ = nullptr;  ///< used by the loop's thread only
};

/// The stream that `Stream::make` returns. If the last producer releases it without `close`, the reply is
/// aborted: its client must not take it for complete.
class StreamHandle final : public Stream {
 public:
  explicit StreamHandle(std::shared_ptr<StreamQueue> queue) : queue_(std::move(queue)) {}
  ~StreamHandle() override { queue_->close(true); }
  StreamHandle(const StreamHandle&) = delete;
  StreamHandle& operator=(const StreamHandle&) = delete;
  bool try_push(Bytes piece) override { return queue_->try_push(std::move(piece)); }
  Result<void> push(Bytes piece, SteadyTime deadline) override {
    return queue_->push(std::move(piece), deadline);
  }
  void close(bool broken) override { queue_->close(broken); }
  bool has_room() const override { return queue_->has_room(); }
  void on_room(std::function<void()> ready) override { queue_->on_room(std::move(ready)); }
  std::stop_token cancelled() const override { return queue_->cancelled(); }
  const std::shared_ptr<StreamQueue>& queue() const { return queue_; }

 private:
  std::shared_ptr<StreamQueue> queue_;
};

}  // namespace fairway::http
