// Stands where a Service would: one address, and behind it whichever replicas there are.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/descriptor.h"
#include "http/listen.h"

namespace fairway::conformance {

/// Hands bytes on, between loopback ports.
class Relay {
 public:
  Relay() : listening_(http::listen_on("127.0.0.1:0", 1).value()) {
    acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~Relay() {
    acceptor_.request_stop();
    acceptor_.join();
    cut();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  std::string url() const { return "https://" + listening_.address; }
  /// New connections go to these ports in turn.
  void to(std::vector<int> ports) {
    const std::lock_guard lock(mutex_);
    ports_ = std::move(ports);
  }
  /// Ends those that there are.
  void cut() {
    std::list<Link> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(links_);
    }
    for (const Link& link : ended) {
      ::shutdown(link.from.get(), SHUT_RDWR);
      ::shutdown(link.to.get(), SHUT_RDWR);
    }
  }

 private:
  struct Link {
    http::Descriptor from, to;
    std::jthread pump;  ///< the last member: it uses the others
  };

  static http::Descriptor connect_to_loopback(int port) {
    http::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool there =
        socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return there ? std::move(socket) : http::Descriptor();
  }

  /// Hands on what there is to read; false at the end.
  static bool pass(int from, int to) {
    std::array<char, 16384> bytes{};
    const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    for (ssize_t sent = 0; sent < got;) {
      const ssize_t now = ::send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += now;
    }
    return true;
  }

  static void pump(int from, int to) {
    while (true) {
      std::array<pollfd, 2> ends{{{from, POLLIN, 0}, {to, POLLIN, 0}}};
      if (::poll(ends.data(), ends.size(), -1) < 0) break;
      if (ends[0].revents != 0 && !pass(from, to)) break;
      if (ends[1].revents != 0 && !pass(to, from)) break;
    }
    ::shutdown(from, SHUT_RDWR);
    ::shutdown(to, SHUT_RDWR);
  }

  void accept_all(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd waiting{listening_.sockets.front().get(), POLLIN, 0};
      if (::poll(&waiting, 1, 50) <= 0) continue;  // looks at `stop` in between
      http::Descriptor from(::accept4(waiting.fd, nullptr, nullptr, SOCK_CLOEXEC));
      const std::lock_guard lock(mutex_);
      if (!from || ports_.empty()) continue;
      http::Descriptor to = connect_to_loopback(ports_[next_++ % ports_.size()]);
      if (!to) continue;
      Link& link = links_.emplace_back(std::move(from), std::move(to));
      link.pump = std::jthread([in = link.from.get(), out = link.to.get()] { pump(in, out); });
    }
  }

  http::Listening listening_;
  std::mutex mutex_;
  std::vector<int> ports_;
  std::size_t next_ = 0;
  std::list<Link> links_;
  std::jthread acceptor_;  ///< the last member: it uses the others
};

}  // namespace fairway::conformance
