// SPDX-License-Identifier: Apache-2.0

// A client that sends exactly the bytes it is told to, right or wrong, and shows what comes back.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"

namespace fairway::http {

class RawClient {
 public:
  /// `from`: the address to connect from, of 127.0.0.0/8.
  explicit RawClient(std::uint16_t port, int receive_buffer = 0, const char* from = nullptr)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (fd_.get() < 0) throw std::runtime_error("there is no socket to be had");
    if (receive_buffer > 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    if (from != nullptr) {
      sockaddr_in source{};
      source.sin_family = AF_INET;
      ::inet_pton(AF_INET, from, &source.sin_addr);
      if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&source), sizeof source) != 0) return;
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void finish_sending() { ::shutdown(fd_.get(), SHUT_WR); }
  /// Closes with a reset.
  void reset() {
    const struct ::linger option{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &option, sizeof option);
    fd_.reset();
  }

  /// Reads one reply: its head, and a body by Content-Length or chunks (kept as sent). "" when the connection
  /// ended first.
  std::string read_reply(bool head_only = false) {
    while (true) {
      const auto head_end = pending_.find("\r\n\r\n");
      if (head_end != std::string::npos) {
        const std::string head = pending_.substr(0, head_end + 4);
        std::size_t size = head.size();
        const auto length = head.find("Content-Length: ");
        if (!head_only && length != std::string::npos) {
          size += std::strtoull(head.c_str() + length + 16, nullptr, 10);
        } else if (!head_only && head.find("Transfer-Encoding: chunked") != std::string::npos) {
          const auto end = pending_.find("0\r\n\r\n", head_end + 2);
          size = end == std::string::npos ? std::string::npos : end + 5;
        }
        if (size != std::string::npos && pending_.size() >= size) {
          std::string reply = pending_.substr(0, size);
          pending_.erase(0, size);
          return reply;
        }
      }
      if (!read_some()) return "";
    }
  }

  /// Reads everything until the server closes.
  std::string read_to_end() {
    while (read_some()) {
    }
    return std::exchange(pending_, {});
  }

  /// Reads until a text has come, and returns what came up to its end; what comes after it stays. All that
  /// came, when the connection ended first.
  std::string read_until(std::string_view text) {
    std::size_t at = std::string::npos;
    while ((at = pending_.find(text)) == std::string::npos) {
      if (!read_some()) return std::exchange(pending_, {});
    }
    std::string read = pending_.substr(0, at + text.size());
    pending_.erase(0, read.size());
    return read;
  }

  /// Returns whether the server has closed (or reset) the connection within the time.
  bool closes_within(std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < until) {
      if (!read_some(std::chrono::duration_cast<std::chrono::milliseconds>(
              until - std::chrono::steady_clock::now()))) {
        return ended_;
      }
    }
    return ended_;
  }

  /// Reads once; false when the connection has ended or nothing came in time.
  bool read_some(std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    pollfd waiting{.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) return false;
    char bytes[16384];
    // It follows a lock in another file that was given back long before.
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
    const auto got = ::recv(fd_.get(), bytes, sizeof bytes, 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    pending_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  /// Returns the bytes that have been read and not consumed yet.
  const std::string& pending() const { return pending_; }

 private:
  FileDescriptor fd_;
  bool connected_ = false;
  bool ended_ = false;
  std::string pending_;
};

inline int status_of(const std::string& reply) {
  return reply.starts_with("HTTP/1.1 ") ? static_cast<int>(std::strtol(reply.c_str() + 9, nullptr, 10)) : 0;
}

inline std::string body_of(const std::string& reply) {
  const auto end = reply.find("\r\n\r\n");
  return end == std::string::npos ? "" : reply.substr(end + 4);
}

inline bool has_line(const std::string& reply, const std::string& line) {
  return reply.find("\r\n" + line + "\r\n") != std::string::npos;
}

}  // namespace fairway::http
