// SPDX-License-Identifier: Apache-2.0

// How a connection reads what the client of a WebSocket sends, while its stream goes on.
#include <array>

#include "http/internal/server/connection.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

/// Buffers that are read in a turn, before other connections have theirs.
constexpr int most_reads = 16;
/// Parts of the output that may wait while more is read of the client: each of its pings adds one.
constexpr std::size_t most_waiting = 1024;

}  // namespace

void Connection::begin_socket() {
  close_after_ = true;
  take_frames({intake_->buffer.get() + intake_->begin, intake_->end - intake_->begin});
  intake_->begin = intake_->end;
}

bool Connection::read_socket() {
  std::array<char, 4096> buffer;
  for (int reads = 0; readable_ && !stream_ended_; ++reads) {
    if (unsent_.size() - sent_segments_ > most_waiting) {
      close();
      return false;
    }
    if (reads == most_reads) {
      worker_.requeue(*this);
      return false;
    }
    std::size_t got = 0;
    const Io outcome = receive(buffer.data(), buffer.size(), got);
    if (outcome == Io::closed || outcome == Io::failed) {
      close();
      return false;
    }
    if (outcome == Io::blocked) break;
    take_frames({buffer.data(), got});
  }
  return true;
}

void Connection::take_frames(std::string_view bytes) {
  std::string answers;
  const bool goes_on = socket_->frames.feed(bytes, answers);
  if (!answers.empty()) {
    queue(std::move(answers));
    if (waits_for != Wait::write) {
      write_began_ = worker_.loop().now();
      worker_.wait(*this, Wait::write);
    }
  }
  if (!goes_on) stream_ended_ = true;
}

}  // namespace fairway::http
