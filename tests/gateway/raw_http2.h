// SPDX-License-Identifier: Apache-2.0

// A client of HTTP/2 (RFC 9113) that behaves as badly as a test wants: it takes nothing of its answers, and
// answers pings only if it is told to. Requests are literal fields without Huffman coding, on a plain
// connection.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_descriptor.h"

namespace fairway::gateway {

/// Connects to a port of 127.0.0.1; throws if nothing listens.
inline FileDescriptor connect_to_loopback(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  return socket;
}

/// Returns the time until the other side closes a connection; std::nullopt: it has not within the limit. What
/// it sends before is added to `got`.
inline std::optional<std::chrono::milliseconds> closed_after(const FileDescriptor& socket,
                                                             std::chrono::milliseconds limit,
                                                             std::string* got = nullptr) {
  const auto begun = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  };
  while (passed() < limit) {
    pollfd one{.fd = socket.get(), .events = POLLIN, .revents = 0};
    if (::poll(&one, 1, static_cast<int>((limit - passed()).count())) <= 0) continue;
    char buffer[4096];
    const ssize_t size = ::recv(socket.get(), buffer, sizeof buffer, 0);
    if (size <= 0) return passed();
    if (got != nullptr) got->append(buffer, static_cast<std::size_t>(size));
  }
  return std::nullopt;
}

/// A frame of HTTP/2.
struct Http2Frame {
  enum Type : std::uint8_t { data, headers, priority, reset, settings, push, ping, goaway, window };
  std::uint8_t type = 0, flags = 0;
  std::uint32_t stream = 0;
  std::string payload = {};
};

class RawHttp2 {
 public:
  /// Connects, and allows the server no byte of any answer. `answers_pings`: whether it seems to be alive.
  RawHttp2(int port, bool answers_pings) : socket_(connect_to_loopback(port)), answers_pings_(answers_pings) {
    std::string window(1, '\0');
    window += '\4';  // SETTINGS_INITIAL_WINDOW_SIZE
    append_number(window, 0);
    write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame({Http2Frame::settings, 0, 0, window}));
  }

  /// Sends a GET on a new stream.
  void get(std::string_view host, std::string_view path) {
    std::string fields;
    append_field(fields, ":method", "GET");
    append_field(fields, ":scheme", "http");
    append_field(fields, ":authority", host);
    append_field(fields, ":path", path);
    constexpr std::uint8_t ends = 0x4 | 0x1;
    write(frame({Http2Frame::headers, ends, next_stream_, fields}));
    next_stream_ += 2;
  }
  /// Reads frames, and acknowledges settings. Returns the next frame of a type; std::nullopt: it has not come
  /// in time, or the connection is closed.
  std::optional<Http2Frame> wait_for(Http2Frame::Type type, std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!is_closed_) {
      while (auto next = take()) {
        if (next->type == type) return next;
      }
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) break;
      pollfd one{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&one, 1, static_cast<int>(left.count())) <= 0) continue;
      char buffer[16'384];
      const ssize_t size = ::recv(socket_.get(), buffer, sizeof buffer, 0);
      is_closed_ = size <= 0;
      if (!is_closed_) got_.append(buffer, static_cast<std::size_t>(size));
    }
    return std::nullopt;
  }
  bool is_closed() const { return is_closed_; }
  /// Returns the number of streams that the server has reset.
  int resets() const { return resets_; }

 private:
  static void append_number(std::string& out, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
  }
  static void append_field(std::string& out, std::string_view name, std::string_view value) {
    out += '\0';
    for (const std::string_view text : {name, value}) {
      out += static_cast<char>(text.size());  // shorter than 127
      out += text;
    }
  }
  static std::string frame(const Http2Frame& one) {
    std::string out;
    append_number(out, static_cast<std::uint32_t>(one.payload.size()));
    out.erase(0, 1);
    out += static_cast<char>(one.type);
    out += static_cast<char>(one.flags);
    append_number(out, one.stream);
    return out + one.payload;
  }
  void write(const std::string& bytes) {
    if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) is_closed_ = true;
  }
  /// Takes the next frame of those that have come.
  std::optional<Http2Frame> take() {
    constexpr std::size_t head = 9;
    if (got_.size() < head) return std::nullopt;
    const auto byte = [&](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(got_[at]));
    };
    const std::size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
    if (got_.size() < head + size) return std::nullopt;
    Http2Frame one{.type = static_cast<std::uint8_t>(byte(3)),
                   .flags = static_cast<std::uint8_t>(byte(4)),
                   .stream = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8),
                   .payload = got_.substr(head, size)};
    got_.erase(0, head + size);
    const bool is_answer = (one.flags & 0x1) != 0;
    if (one.type == Http2Frame::reset) ++resets_;
    if (one.type == Http2Frame::settings && !is_answer) write(frame({Http2Frame::settings, 1, 0, {}}));
    if (one.type == Http2Frame::ping && !is_answer && answers_pings_)
      write(frame({Http2Frame::ping, 1, 0, one.payload}));
    return one;
  }

  FileDescriptor socket_;
  bool answers_pings_;
  bool is_closed_ = false;
  int resets_ = 0;
  std::uint32_t next_stream_ = 1;
  std::string got_;
};

}  // namespace fairway::gateway
