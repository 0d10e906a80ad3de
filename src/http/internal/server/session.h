// SPDX-License-Identifier: Apache-2.0

// The part of a connection that carries many requests at once: HTTP/2, as the connection sees it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace fairway::http {

class Connection;

class Session {
 public:
  virtual ~Session() = default;
  /// Reads what has come, answers, and writes what the socket takes.
  virtual void advance() = 0;
  /// Takes no more requests, asks streamed replies to end, and ends when all are answered.
  virtual void drain() = 0;
  /// Ends without an error, because nothing has been asked for a while.
  virtual void retire() = 0;
  /// Lets go of all streams, because the connection is closed. `farewell`: the client is told if the socket
  /// takes it at once.
  virtual void leave(bool farewell) = 0;
  /// Bytes of memory that it holds without its streams.
  virtual std::size_t cost() const = 0;
  /// Bytes of memory that wait for the client to read, with those.
  virtual std::size_t unread() const = 0;
  /// Returns the bytes of replies that were sent since the last call: what answers pings is none of them.
  virtual std::size_t take_progress() = 0;
  /// Returns whether only streamed replies wait for the client.
  virtual bool only_streams_wait() const = 0;
};

/// Makes the session of a connection whose client speaks HTTP/2.
using MakeSession = std::function<std::unique_ptr<Session>(Connection&)>;

}  // namespace fairway::http
