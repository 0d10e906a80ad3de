// SPDX-License-Identifier: Apache-2.0

#include "http/internal/http2/output_queue.h"

#include <array>

namespace fairway::http {
namespace {

/// Pieces handed to one system call.
constexpr std::size_t most_pieces = 64;
/// Largest part of shared bytes that is copied.
constexpr std::size_t copied_bytes = 2048;

}  // namespace

void OutputQueue::append(std::string_view text) {
  if (text.empty()) return;
  if (segments_.empty() || segments_.back().bytes) segments_.emplace_back();
  Segment& last = segments_.back();
  last.text += text;
  last.end += text.size();
  size_ += text.size();
}

void OutputQueue::append(const Bytes& bytes, std::size_t offset, std::size_t size) {
  if (size <= copied_bytes) return append(std::string_view(*bytes).substr(offset, size));
  segments_.push_back({.text = {}, .bytes = bytes, .offset = offset, .end = offset + size});
  size_ += size;
}

Connection::Io OutputQueue::flush(Connection& connection) {
  while (!segments_.empty()) {
    std::array<iovec, most_pieces> pieces;
    std::size_t count = 0, total = 0;
    for (const Segment& segment : segments_) {
      const std::string_view rest = segment.rest();
      pieces[count++] = {const_cast<char*>(rest.data()), rest.size()};
      total += rest.size();
      if (count == most_pieces) break;
    }
    std::size_t written = 0;
    const auto outcome = connection.transmit({pieces.data(), count}, written);
    if (outcome == Connection::Io::failed || outcome == Connection::Io::closed) return outcome;
    const bool all = written == total;
    size_ -= written;
    while (!segments_.empty() && written >= segments_.front().rest().size()) {
      written -= segments_.front().rest().size();
      segments_.pop_front();
    }
    if (!segments_.empty()) segments_.front().offset += written;
    // A short write means that the socket is full: epoll tells when it takes more.
    if (!all) return Connection::Io::blocked;
  }
  return Connection::Io::done;
}

}  // namespace fairway::http
