// SPDX-License-Identifier: Apache-2.0

// The frames that wait for the socket of a connection.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/internal/server/connection.h"

namespace fairway::http {

/// Bytes in the order in which they are sent. It copies what it gets: a reference to a large body for the
/// sake of a small frame would keep all of it after its stream has been reset.
class OutputQueue {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }
  /// Hands over as much as the socket takes; no more than `most` bytes, so that other connections have their
  /// turn.
  Connection::Io flush(Connection& connection, std::size_t& most);
  std::size_t size() const { return bytes_.size() - sent_; }
  bool empty() const { return size() == 0; }
  /// Bytes of memory that it holds.
  std::size_t held() const { return bytes_.capacity(); }

 private:
  std::string bytes_;
  std::size_t sent_ = 0;
};

}  // namespace fairway::http
