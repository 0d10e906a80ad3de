// SPDX-License-Identifier: Apache-2.0

// A relay between a client and a server that can fall silent, as a network does that drops packets.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "base/file_descriptor.h"
#include "http/raw_client.h"

namespace fairway::http {

class SilentRelay {
 public:
  explicit SilentRelay(std::uint16_t target) : target_(target), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), raw, size) != 0 || ::listen(listener_.get(), 16) != 0 ||
        ::getsockname(listener_.get(), raw, &size) != 0)
      throw std::runtime_error("there is no port to be had");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::jthread([this] { accept_all(); });
  }
  ~SilentRelay() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    const std::scoped_lock lock(mutex_);
    for (const auto& each : pairs_) ::shutdown(each->client.get(), SHUT_RDWR);
  }

  std::uint16_t port() const { return port_; }
  /// Drops whatever comes on the connections that there are. Later ones are served.
  void fall_silent() {
    const std::scoped_lock lock(mutex_);
    for (const auto& each : pairs_) each->silent = true;
  }
  /// Returns the number of connections that were made.
  std::size_t connections() {
    const std::scoped_lock lock(mutex_);
    return pairs_.size();
  }

 private:
  struct Pair {
    Pair(int fd, std::uint16_t target) : client(fd), server(target) {}
    FileDescriptor client;
    RawClient server;
    std::atomic<bool> silent = false;
    std::jthread pump;
  };

  void accept_all() {
    while (true) {
      const int fd = ::accept(listener_.get(), nullptr, nullptr);
      if (fd < 0) return;
      const std::scoped_lock lock(mutex_);
      auto& pair = pairs_.emplace_back(std::make_unique<Pair>(fd, target_));
      pair->pump = std::jthread([raw = pair.get()] { forward(*raw); });
    }
  }

  /// Forwards both ways until one side closes.
  static void forward(Pair& pair) {
    std::array<pollfd, 2> waiting = {{{.fd = pair.client.get(), .events = POLLIN, .revents = 0},
                                      {.fd = pair.server.fd(), .events = POLLIN, .revents = 0}}};
    std::array<char, 16384> bytes;
    while (::poll(waiting.data(), waiting.size(), -1) > 0) {
      for (std::size_t side = 0; side < 2; ++side) {
        if (waiting[side].revents == 0) continue;
        const auto got = ::recv(waiting[side].fd, bytes.data(), bytes.size(), 0);
        if (got <= 0) {
          ::shutdown(waiting[0].fd, SHUT_RDWR);
          ::shutdown(waiting[1].fd, SHUT_RDWR);
          return;
        }
        std::string_view rest(bytes.data(), static_cast<std::size_t>(got));
        while (!pair.silent && !rest.empty()) {
          const auto sent = ::send(waiting[1 - side].fd, rest.data(), rest.size(), MSG_NOSIGNAL);
          if (sent <= 0) break;
          rest.remove_prefix(static_cast<std::size_t>(sent));
        }
      }
    }
  }

  const std::uint16_t target_;
  std::uint16_t port_ = 0;
  FileDescriptor listener_;
  std::mutex mutex_;
  std::list<std::unique_ptr<Pair>> pairs_;
  std::jthread acceptor_;
};

}  // namespace fairway::http
