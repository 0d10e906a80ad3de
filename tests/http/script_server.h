// SPDX-License-Identifier: Apache-2.0

// A server that does to each connection what a test tells it to, in order: for clients that must survive
// anything.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"

namespace fairway::http {

/// The server's end of one connection.
class ScriptedConnection {
 public:
  explicit ScriptedConnection(int fd) : fd_(fd) {}
  int fd() const { return fd_; }
  /// Reads until the end of a request's head; "" when the client is gone.
  std::string read_head() { return read_until("\r\n\r\n"); }
  std::string read_until(std::string_view end) {
    while (pending_.find(end) == std::string::npos) {
      char bytes[4096];
      const auto got = ::recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) return "";
      pending_.append(bytes, static_cast<std::size_t>(got));
    }
    const auto size = pending_.find(end) + end.size();
    std::string text = pending_.substr(0, size);
    pending_.erase(0, size);
    return text;
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void reset() const {
    const struct ::linger option{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &option, sizeof option);
  }
  /// Waits until the client closes its end.
  void wait_for_close() const {
    char bytes[4096];
    while (::recv(fd_, bytes, sizeof bytes, 0) > 0) {
    }
  }

 private:
  int fd_;
  std::string pending_;
};

class ScriptServer {
 public:
  using Script = std::function<void(ScriptedConnection&)>;

  /// One script a connection, in order; connections beyond them get the last one.
  explicit ScriptServer(std::vector<Script> scripts) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (!fd_ || ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(fd_.get(), 64) != 0 ||
        ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this, scripts = std::move(scripts)] {
      for (std::size_t i = 0;; ++i) {
        const FileDescriptor client(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!client) return;
        ++connections_;
        ScriptedConnection connection(client.get());
        scripts[std::min(i, scripts.size() - 1)](connection);
      }
    });
  }
  ~ScriptServer() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
  }
  ScriptServer(const ScriptServer&) = delete;
  ScriptServer& operator=(const ScriptServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& target = "/") const {
    return "http://127.0.0.1:" + std::to_string(port_) + target;
  }
  int connections() const { return connections_; }

 private:
  FileDescriptor fd_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

}  // namespace fairway::http
