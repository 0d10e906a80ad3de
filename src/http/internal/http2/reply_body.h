// SPDX-License-Identifier: Apache-2.0

// The body of a reply as DATA frames take it: a whole one, or a stream that a producer goes on to fill.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "http/internal/http2/output_queue.h"
#include "http/internal/server/stream.h"
#include "http/message.h"

namespace fairway::http {

class ReplyBody {
 public:
  ~ReplyBody() { drop(); }

  void set(Bytes whole);
  /// Reads from a queue, which calls `reader` on the loop's thread when more waits.
  void attach(std::shared_ptr<StreamQueue> queue, EventLoop& loop, StreamReader& reader);
  /// Lets go of everything: the producer of a stream is told.
  void drop();
  /// Asks the producer of a stream to end.
  void ask_to_end();

  enum class State { open, ended, broken };
  /// Returns the bytes that can be sent now, `most` at most, and sets whether more may follow them.
  std::size_t ready(std::size_t most, State& after);
  /// Moves that many of the ready bytes to the output.
  void move_to(OutputQueue& out, std::size_t bytes);

  bool is_stream() const { return queue_ != nullptr; }
  /// Returns whether bytes wait to be sent.
  bool waits() const;
  /// Bytes that it holds for its reader: its share, where others hold them as well.
  std::size_t cost() const;

 private:
  std::shared_ptr<StreamQueue> queue_;
  State end_ = State::ended;  ///< the state of the queue
  std::deque<Bytes> pieces_;
  std::size_t offset_ = 0;   ///< into the first piece
  std::size_t waiting_ = 0;  ///< bytes of the pieces that are still to be sent
};

}  // namespace fairway::http
