// SPDX-License-Identifier: Apache-2.0

// The thread of a connection: it reads and writes until the connection ends.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <string>

#include "http/internal/http2/client_connection.h"

namespace fairway::http {
namespace {

constexpr std::size_t read_bytes = 64 * 1024;
/// Bytes of frames that are made before the socket has taken them.
constexpr std::size_t most_output_bytes = 64 * 1024;

}  // namespace

bool Http2Connection::write(bool& blocked) {
  while (true) {
    bool finished = false;
    if (output_.empty()) {
      const std::scoped_lock lock(mutex_);
      ssize_t size = 1;
      while (size > 0 && output_.size() < most_output_bytes) {
        const std::uint8_t* bytes = nullptr;
        size = nghttp2_session_mem_send(session_.get(), &bytes);
        if (size > 0) output_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
      }
      finished = size < 0 || (nghttp2_session_want_read(session_.get()) == 0 &&
                              nghttp2_session_want_write(session_.get()) == 0);
    }
    blocked = false;
    if (output_.empty()) return !finished;
    const iovec piece{output_.data(), output_.size()};
    std::size_t written = 0;
    const auto outcome = tls_->write({&piece, 1}, written);
    output_.erase(0, written);
    if (outcome == TlsSession::Outcome::failed || outcome == TlsSession::Outcome::closed) return false;
    if (outcome == TlsSession::Outcome::done) continue;
    blocked = true;
    return true;
  }
}

bool Http2Connection::read() {
  std::array<char, read_bytes> bytes;
  while (true) {
    std::size_t got = 0;
    switch (tls_->read(bytes.data(), bytes.size(), got)) {
      case TlsSession::Outcome::done:
        break;
      case TlsSession::Outcome::want_read:
      case TlsSession::Outcome::want_write:
        return true;
      case TlsSession::Outcome::closed:
      case TlsSession::Outcome::failed:
        return false;
    }
    const std::scoped_lock lock(mutex_);
    silence_.hear(std::chrono::steady_clock::now());
    if (nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), got) <
        0)
      return false;
  }
}

int Http2Connection::until_check() {
  const std::scoped_lock lock(mutex_);
  const auto next = silence_.next(!exchanges_.empty());
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
}

bool Http2Connection::check_silence() {
  const std::scoped_lock lock(mutex_);
  switch (silence_.due(std::chrono::steady_clock::now(), !exchanges_.empty())) {
    case PeerSilence::Due::nothing:
      return true;
    case PeerSilence::Due::ping:
      return nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr) == 0;
    case PeerSilence::Due::end:
      return false;
  }
  return false;
}

bool Http2Connection::wait(bool blocked) {
  std::array<pollfd, 2> waiting = {{
      {.fd = fd_.get(), .events = static_cast<short>(POLLIN | (blocked ? POLLOUT : 0)), .revents = 0},
      {.fd = wakeup_.get(), .events = POLLIN, .revents = 0},
  }};
  if (::poll(waiting.data(), waiting.size(), until_check()) < 0) return errno == EINTR;
  if (waiting[1].revents != 0) {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const auto got = ::read(wakeup_.get(), &ignored, sizeof ignored);
    const std::scoped_lock lock(mutex_);
    if (stopping_) return false;
  }
  return waiting[0].revents == 0 || read();
}

void Http2Connection::run() {
  std::string why = "the server closed the connection";
  bool blocked = false;
  while (write(blocked) && wait(blocked)) {
    if (check_silence()) continue;
    why = "nothing comes from the server on this connection, not even the answer to a ping";
    break;
  }
  fail_all(tls_->error().empty() ? why : tls_->error());
}

void Http2Connection::fail_all(const std::string& why) {
  const std::scoped_lock lock(mutex_);
  closing_ = true;
  for (const auto& [id, exchange] : exchanges_) {
    if (exchange->ended) continue;
    exchange->failed = true;
    exchange->body = {};
    exchange->error = {ErrorCode::unavailable, "waiting for the reply: " + why};
    exchange->changed.notify_all();
  }
  exchanges_.clear();
}

}  // namespace fairway::http
