// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/output_queue.h"

#include <algorithm>

namespace fairway::http {
namespace {

/// Bytes that have been sent before they are removed from the front.
constexpr std::size_t removed_at_once = 32 * 1024;
/// Memory that an empty queue keeps for what comes next.
constexpr std::size_t most_kept = 4 * 1024;

}  // namespace

Connection::Io OutputQueue::flush(Connection& connection, std::size_t& most) {
  while (!empty() && most > 0) {
    const std::size_t size = std::min(this->size(), most);
    const iovec piece{bytes_.data() + sent_, size};
    std::size_t written = 0;
    const auto outcome = connection.transmit({&piece, 1}, written);
    if (outcome == Connection::Io::failed || outcome == Connection::Io::closed) return outcome;
    sent_ += written;
    most -= written;
    if (empty()) {
      sent_ = 0;
      if (bytes_.capacity() > most_kept) {
        std::string().swap(bytes_);
      } else {
        bytes_.clear();
      }
    } else if (sent_ >= removed_at_once) {
      bytes_.erase(0, sent_);
      sent_ = 0;
    }
    // A short write means that the socket is full: epoll tells when it takes more.
    if (written < size) return Connection::Io::blocked;
  }
  return Connection::Io::done;
}

}  // namespace fairway::http
