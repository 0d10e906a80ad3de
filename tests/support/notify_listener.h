// SPDX-License-Identifier: Apache-2.0

// A service manager's end of sd_notify(3), for tests.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "support/generous.h"

namespace fairway::testing {

/// Listens on a socket of datagrams, and reads them in their order.
class NotifyListener {
 public:
  /// Listens at an address as $NOTIFY_SOCKET has it: a path, or with `@` in front an abstract name.
  explicit NotifyListener(std::string address) : address_(std::move(address)) {
    socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::ranges::copy(address_, name.sun_path);
    if (address_[0] == '@') name.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    const timeval limit{.tv_sec = generous(std::chrono::seconds(3)).count(), .tv_usec = 0};
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), size) != 0 ||
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
      throw std::runtime_error("cannot listen on " + address_);
  }

  const std::string& address() const { return address_; }
  /// Returns the next message, or "nothing" if none comes in time.
  std::string next() const {
    std::string message(4096, '\0');
    const ssize_t size = ::recv(socket_.get(), message.data(), message.size(), 0);
    if (size < 0) return "nothing";
    message.resize(static_cast<std::size_t>(size));
    return message;
  }
  /// Returns the next message with this in it, or "nothing"; the others before it are dropped.
  std::string next_with(std::string_view part) const {
    for (std::string message = next();; message = next()) {
      if (message == "nothing" || message.contains(part)) return message;
    }
  }
  /// Returns whether no message waits.
  bool is_empty() const {
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
  }

 private:
  std::string address_;
  FileDescriptor socket_;
};

}  // namespace fairway::testing
