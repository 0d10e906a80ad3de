// SPDX-License-Identifier: Apache-2.0

// The frames that wait for the socket of a connection: text of our own, and pieces of shared bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "http/internal/server/connection.h"
#include "http/message.h"

namespace fairway::http {

class OutputQueue {
 public:
  void append(std::string_view text);
  /// Appends a part of shared bytes: small ones are copied, which costs less than to keep track of them.
  void append(const Bytes& bytes, std::size_t offset, std::size_t size);
  /// Hands over as much as the socket takes.
  Connection::Io flush(Connection& connection);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  struct Segment {
    std::string text;
    Bytes bytes;
    std::size_t offset = 0, end = 0;  ///< the part that is still to be written
    std::string_view rest() const {
      return std::string_view(bytes ? *bytes : text).substr(offset, end - offset);
    }
  };

  std::deque<Segment> segments_;
  std::size_t size_ = 0;
};

}  // namespace fairway::http
