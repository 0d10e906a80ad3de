// SPDX-License-Identifier: Apache-2.0

// A port of 127.0.0.1 that somebody else has.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace fairway::testing {

/// Listens on a free port, as long as it lives. It does not set SO_REUSEPORT, so that nobody else can have
/// the port.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, any, size) != 0 || ::listen(socket_, 1) != 0 ||
        ::getsockname(socket_, any, &size) != 0) {
      throw std::runtime_error("cannot listen on a port");
    }
    port_ = ntohs(address.sin_port);
  }
  ~TakenPort() { ::close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  int port() const { return port_; }

 private:
  int socket_, port_ = 0;
};

}  // namespace fairway::testing
