// SPDX-License-Identifier: Apache-2.0

// A load balancer as a Service is to its clients: one address, and connections to its endpoints in turn.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"

namespace fairway::conformance {

/// A load balancer of connections, not requests, as in a cluster's network: an endpoint that is removed gets
/// no new connections, and keeps its open ones for as long as both sides want.
class Balancer {
 public:
  /// Listens on a free port of loopback; throws if that fails.
  Balancer();
  ~Balancer();
  Balancer(const Balancer&) = delete;
  Balancer& operator=(const Balancer&) = delete;

  /// "127.0.0.1:PORT".
  const std::string& address() const { return address_; }

  /// Endpoints are ports of 127.0.0.1.
  void add(std::uint16_t endpoint);
  void remove(std::uint16_t endpoint);
  /// Makes new connections from now on go to these, in turn.
  void set(std::vector<std::uint16_t> endpoints);
  /// Ends all open connections.
  void cut();
  /// Waits until no connection to the endpoint is open any more: both sides of each have closed it.
  bool wait_until_unused(std::uint16_t endpoint, std::chrono::milliseconds longest) const;
  /// Number of connections that have been made to it.
  int connections(std::uint16_t endpoint) const;

 private:
  struct Connection {
    std::uint16_t endpoint = 0;
    FileDescriptor client, server;
    bool over = false;  ///< guarded by the balancer's mutex
    std::jthread thread;
  };

  void accept_all(const std::stop_token& stop);
  void relay(Connection& connection);

  FileDescriptor listener_;
  std::string address_;
  mutable std::mutex mutex_;
  mutable std::condition_variable closed_;
  std::vector<std::uint16_t> endpoints_;  ///< guarded by `mutex_`
  std::size_t turn_ = 0;                  ///< guarded by `mutex_`
  std::list<Connection> connections_;     ///< guarded by `mutex_`; none leaves before the end
  std::jthread acceptor_;
};

}  // namespace fairway::conformance
