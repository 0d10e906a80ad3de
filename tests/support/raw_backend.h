// SPDX-License-Identifier: Apache-2.0

// A backend that keeps the bytes of requests, and answers with bytes or not at all.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::testing {

/// Returns the values of a header in the head of a message, in order.
inline std::vector<std::string> header_values(std::string_view message, std::string_view name) {
  std::vector<std::string> values;
  const std::size_t end = std::min(message.find("\r\n\r\n"), message.size());
  for (std::size_t at = message.find("\r\n"); at < end;) {
    at += 2;
    const std::size_t line_end = std::min(message.find("\r\n", at), message.size());
    const std::string_view line = message.substr(at, line_end - at);
    const std::size_t colon = line.find(": ");
    if (colon != std::string_view::npos && equals_ignoring_case(line.substr(0, colon), name))
      values.emplace_back(line.substr(colon + 2));
    at = line_end;
  }
  return values;
}

/// Listens on a free port of 127.0.0.1, and answers one request of each connection, which it then closes.
class RawBackend {
 public:
  /// Makes the answer to a request from its bytes; empty: the connection is closed without an answer.
  using Answers = std::function<std::string(const std::string& request)>;

  static std::string ok(const std::string& headers = "", const std::string& body = "") {
    return "HTTP/1.1 200 OK\r\n" + headers + "content-length: " + std::to_string(body.size()) +
           "\r\nconnection: close\r\n\r\n" + body;
  }

  explicit RawBackend(Answers answers = [](const std::string& /*request*/) { return ok(); })
      : answers_(std::move(answers)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, any, size) != 0 || ::listen(socket_, 64) != 0 ||
        ::getsockname(socket_, any, &size) != 0)
      throw std::runtime_error("cannot listen on a port");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~RawBackend() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  RawBackend(const RawBackend&) = delete;
  RawBackend& operator=(const RawBackend&) = delete;

  int port() const { return port_; }
  /// Returns the requests so far.
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  void forget() {
    const std::scoped_lock lock(mutex_);
    requests_.clear();
  }
  /// Changes the answers to the requests that follow.
  void answer(Answers answers) {
    const std::scoped_lock lock(mutex_);
    answers_ = std::move(answers);
  }

 private:
  static std::string read_request(int connection) {
    std::string got;
    char buffer[4096];
    for (;;) {
      const std::size_t end = got.find("\r\n\r\n");
      if (end != std::string::npos) {
        const auto lengths = header_values(got, "content-length");
        const std::size_t length = lengths.empty() ? 0 : std::strtoul(lengths[0].c_str(), nullptr, 10);
        const bool is_chunked = !header_values(got, "transfer-encoding").empty();
        if (is_chunked ? got.ends_with("0\r\n\r\n") : got.size() - end - 4 >= length) return got;
      }
      const ssize_t size = ::recv(connection, buffer, sizeof buffer, 0);
      if (size <= 0) return got;
      got.append(buffer, static_cast<std::size_t>(size));
    }
  }

  void serve() {
    for (;;) {
      const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const timeval limit{.tv_sec = 5, .tv_usec = 0};
      setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      const std::string request = read_request(connection);
      if (!request.empty()) {
        Answers answers;
        {
          const std::scoped_lock lock(mutex_);
          requests_.push_back(request);
          answers = answers_;
        }
        const std::string answer = answers(request);
        ::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
      }
      ::close(connection);
    }
  }

  mutable std::mutex mutex_;
  Answers answers_;
  std::vector<std::string> requests_;
  int socket_, port_ = 0;
  std::thread thread_;
};

}  // namespace fairway::testing
