// SPDX-License-Identifier: Apache-2.0

// A link between a client and a server that brings what the server says late, in pieces, and often not to its
// end.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <list>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "http/internal/server/listen.h"

namespace fairway::conformance {

/// A faulty proxy of TCP on loopback. The bytes that the server sends are cut into pieces at any place, from
/// one byte to 16 KiB, some of them held back for some milliseconds; after 128 bytes to 128 KiB the
/// connection ends, in order or with a reset. Sizes are spread evenly over their orders of magnitude. The
/// client's bytes pass unchanged.
class FaultyLink {
 public:
  FaultyLink(std::uint16_t upstream_port, unsigned seed) : upstream_port_(upstream_port), random_(seed) {
    auto listening = http::listen_on("127.0.0.1:0", 1);
    if (!listening) throw std::runtime_error(listening.error().message);
    listener_ = std::move(listening->sockets.front());
    address_ = listening->address;
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  std::string url() const { return "http://" + address_; }
  /// Number of connections that it ended before the server or the client did.
  int cuts() const { return cuts_; }
  /// Passes everything on whole and at once from now on.
  void heal() { healed_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    FileDescriptor client, server;
    std::string to_client;
    std::string to_server;
    std::int64_t left = 0;  ///< bytes that still reach the client
    Clock::time_point next_piece;
    bool over = false;
  };

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  static sockaddr* generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

  /// Returns a size from 2^least to 2^most.
  std::int64_t size_between(double least, double most) {
    return static_cast<std::int64_t>(std::exp2(std::uniform_real_distribution(least, most)(random_)));
  }

  void accept_all() {
    while (true) {
      FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!client) return;
      FileDescriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      sockaddr_in address = loopback(upstream_port_);
      if (!server || ::connect(server.get(), generic(address), sizeof address) != 0) continue;
      const int on = 1;
      ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      Connection& made = connections_.emplace_back();
      made.client = std::move(client);
      made.server = std::move(server);
      made.left = size_between(7, 17);
      made.next_piece = Clock::now();
    }
  }

  /// Reads the available bytes. False: the other side has closed.
  static bool read(int fd, std::string& into) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EAGAIN);
  }
  /// Writes the first `most` bytes as far as the peer takes them; returns their number. -1: it is gone.
  static ssize_t write(int fd, std::string& from, std::size_t most) {
    const ssize_t sent = ::send(fd, from.data(), std::min(most, from.size()), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) from.erase(0, static_cast<std::size_t>(sent));
    return sent < 0 && errno == EAGAIN ? 0 : sent;
  }

  void cut(Connection& connection) {
    if (random_() % 2 == 0) {
      const linger at_once{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(connection.client.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    connection.over = true;
    ++cuts_;
  }

  void bring(Connection& connection, Clock::time_point now) {
    while (!connection.to_client.empty() && !connection.over && now >= connection.next_piece) {
      const bool whole = healed_;
      const std::int64_t piece = whole ? 65536 : std::min(size_between(0, 14), connection.left);
      const ssize_t sent =
          write(connection.client.get(), connection.to_client, static_cast<std::size_t>(piece));
      if (sent < 0) connection.over = true;
      if (sent <= 0) return;
      if (whole) continue;
      connection.left -= sent;
      if (connection.left <= 0) cut(connection);
      if (random_() % 8 == 0) connection.next_piece = now + std::chrono::milliseconds(1 + random_() % 8);
    }
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> watched{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
      bool waits = false;
      for (Connection& connection : connections_) {
        // Nobody reads ahead of what the client has.
        const short from_server = connection.to_client.size() < 262'144 ? POLLIN : 0;
        watched.push_back({.fd = connection.server.get(), .events = from_server, .revents = 0});
        watched.push_back({.fd = connection.client.get(), .events = POLLIN, .revents = 0});
        waits = waits || !connection.to_client.empty() || !connection.to_server.empty();
      }
      ::poll(watched.data(), watched.size(), waits ? 1 : 20);
      const auto now = Clock::now();
      std::size_t at = 1;
      for (Connection& connection : connections_) {
        const bool server_speaks = watched[at].revents != 0 && connection.to_client.size() < 262'144;
        const bool client_speaks = watched[at + 1].revents != 0;
        at += 2;
        const bool server_done = server_speaks && !read(connection.server.get(), connection.to_client);
        if (client_speaks && !read(connection.client.get(), connection.to_server)) connection.over = true;
        if (!connection.to_server.empty() &&
            write(connection.server.get(), connection.to_server, connection.to_server.size()) < 0)
          connection.over = true;
        bring(connection, now);
        if (server_done && connection.to_client.empty()) connection.over = true;
      }
      std::erase_if(connections_, [](const Connection& connection) { return connection.over; });
      if (watched[0].revents != 0) accept_all();
    }
  }

  const std::uint16_t upstream_port_;
  std::string address_;
  FileDescriptor listener_;
  std::mt19937 random_;
  std::list<Connection> connections_;
  std::atomic<int> cuts_ = 0;
  std::atomic<bool> healed_ = false;
  std::jthread thread_;
};

}  // namespace fairway::conformance
