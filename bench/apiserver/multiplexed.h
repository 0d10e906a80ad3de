// SPDX-License-Identifier: Apache-2.0

// A connection of HTTP/2 that carries many watches.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "connection.h"

namespace fairway::bench {

class Multiplexed {
 public:
  using OnData = std::function<void(std::int32_t stream, const char* data, std::size_t size)>;

  /// Speaks HTTP/2 on an open connection; `on_data` gets what replies bring.
  Multiplexed(Connection& connection, OnData on_data);
  Multiplexed(const Multiplexed&) = delete;
  Multiplexed& operator=(const Multiplexed&) = delete;

  /// Asks for a path. Returns the stream; below 0: it cannot be opened.
  std::int32_t get(const std::string& path);
  /// Reads what has come, and answers it. False: the connection has ended, or a stream.
  bool advance();

 private:
  struct Free {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  Connection& connection_;
  OnData on_data_;
  std::unique_ptr<nghttp2_session, Free> session_;
  bool ended_ = false;
};

}  // namespace fairway::bench
