// SPDX-License-Identifier: Apache-2.0

// Somebody on the way between two replicas, who hands on what each says, and remembers it.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <mutex>
#include <string>
#include <utility>

#include "http/raw_client.h"
#include "http/script_server.h"

namespace fairway::updateservice::testing {

class Relay {
 public:
  /// Makes a relay; `to` is the address of a replica on loopback.
  explicit Relay(const std::string& to)
      : port_(static_cast<std::uint16_t>(std::stoi(to.substr(to.rfind(':') + 1)))),
        server_({[this](http::ScriptedConnection& asker) { hand_on(asker); }}) {}
  std::string address() const { return "127.0.0.1:" + std::to_string(server_.port()); }
  /// Returns the requests and the replies so far.
  std::pair<std::string, std::string> heard() const {
    const std::scoped_lock lock(mutex_);
    return {questions_, answers_};
  }

 private:
  void hand_on(const http::ScriptedConnection& asker) {
    const http::RawClient replica(port_);
    std::array<pollfd, 2> ends{pollfd{.fd = asker.fd(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = replica.fd(), .events = POLLIN, .revents = 0}};
    while (::poll(ends.data(), ends.size(), -1) > 0) {
      for (std::size_t from = 0; from < ends.size(); ++from) {
        if (ends.at(from).revents == 0) continue;
        std::array<char, 4096> bytes;
        const auto got = ::recv(ends.at(from).fd, bytes.data(), bytes.size(), 0);
        if (got <= 0) return;
        const std::string_view said(bytes.data(), static_cast<std::size_t>(got));
        {
          const std::scoped_lock lock(mutex_);
          (from == 0 ? questions_ : answers_) += said;
        }
        if (::send(ends.at(1 - from).fd, said.data(), said.size(), MSG_NOSIGNAL) != got) return;
      }
    }
  }

  const std::uint16_t port_;
  mutable std::mutex mutex_;
  std::string questions_, answers_;
  http::ScriptServer server_;
};

}  // namespace fairway::updateservice::testing
