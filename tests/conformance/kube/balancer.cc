// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/balancer.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "http/dial.h"
#include "http/internal/server/listen.h"

namespace fairway::conformance {

namespace {

using namespace std::chrono_literals;

/// Moves the received bytes from one side to the other; false: nothing more comes.
bool move_bytes(int from, int to) {
  std::array<char, 64 * 1024> bytes;
  const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t now = ::send(to, bytes.data() + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) return true;  // the other side takes no more, and will be found closed
    sent += now;
  }
  return true;
}

void set_blocking_at_once(int socket) {
  const int flags = ::fcntl(socket, F_GETFL);
  if (flags >= 0) ::fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Balancer::Balancer() {
  auto listening = http::listen_on("127.0.0.1:0", 1);
  if (!listening) throw std::runtime_error(listening.error().message);
  listener_ = std::move(listening->sockets.front());
  address_ = listening->address;
  acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
}

Balancer::~Balancer() {
  acceptor_.request_stop();
  acceptor_.join();
  cut();
}

void Balancer::set(std::vector<std::uint16_t> endpoints) {
  const std::lock_guard lock(mutex_);
  endpoints_ = std::move(endpoints);
}

void Balancer::cut() {
  // Wakes those that wait for bytes.
  const std::lock_guard lock(mutex_);
  for (Connection& connection : connections_) {
    if (connection.over) continue;
    ::shutdown(connection.client.get(), SHUT_RDWR);
    ::shutdown(connection.server.get(), SHUT_RDWR);
  }
}

void Balancer::add(std::uint16_t endpoint) {
  const std::lock_guard lock(mutex_);
  endpoints_.push_back(endpoint);
}

void Balancer::remove(std::uint16_t endpoint) {
  const std::lock_guard lock(mutex_);
  std::erase(endpoints_, endpoint);
}

bool Balancer::wait_until_unused(std::uint16_t endpoint, std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  return closed_.wait_for(lock, longest, [&] {
    return std::ranges::all_of(connections_, [&](const Connection& connection) {
      return connection.endpoint != endpoint || connection.over;
    });
  });
}

int Balancer::connections(std::uint16_t endpoint) const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(std::ranges::count(connections_, endpoint, &Connection::endpoint));
}

void Balancer::accept_all(const std::stop_token& stop) {
  const http::SocketWait sockets({.stop = stop});
  while (sockets.wait(listener_.get(), POLLIN)) {
    FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client) continue;
    const std::lock_guard lock(mutex_);
    if (endpoints_.empty()) continue;
    const std::uint16_t endpoint = endpoints_[turn_++ % endpoints_.size()];
    // Where nobody listens, the client is cut off: whether an endpoint lives is for others to find out.
    auto server = http::connect_to("127.0.0.1", endpoint, 10s, sockets);
    if (!server) continue;
    Connection& connection = connections_.emplace_back();
    connection.endpoint = endpoint;
    connection.client = std::move(client);
    connection.server = *std::move(server);
    connection.thread = std::jthread([this, &connection] { relay(connection); });
  }
}

void Balancer::relay(Connection& connection) {
  const int client = connection.client.get(), server = connection.server.get();
  set_blocking_at_once(client);
  set_blocking_at_once(server);
  std::array<pollfd, 2> sides{{{client, POLLIN, 0}, {server, POLLIN, 0}}};
  // One side's end is handed on, and the other's waited for: whoever waits for this connection's end knows
  // that both have seen it.
  while (sides[0].fd >= 0 || sides[1].fd >= 0) {
    if (::poll(sides.data(), sides.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t side = 0; side < sides.size(); ++side) {
      if (sides[side].fd < 0 || sides[side].revents == 0) continue;
      const int other = side == 0 ? server : client;
      if (move_bytes(sides[side].fd, other)) continue;
      ::shutdown(other, SHUT_WR);
      sides[side].fd = -1;
    }
  }
  const std::lock_guard lock(mutex_);
  connection.client.reset();
  connection.server.reset();
  connection.over = true;
  closed_.notify_all();
}

}  // namespace fairway::conformance
