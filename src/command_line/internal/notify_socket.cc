// SPDX-License-Identifier: Apache-2.0

#include "command_line/internal/notify_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include "base/text.h"

namespace fairway::command_line {

Result<NotifySocket> NotifySocket::open(std::string_view address) {
  const auto refuse = [address](const std::string& why) {
    return fail(ErrorCode::invalid, "opening NOTIFY_SOCKET=" + printable(address) + ": " + why);
  };
  if (address.size() < 2 || (address[0] != '/' && address[0] != '@'))
    return refuse("it has to be an absolute path, or a name that begins with @");
  NotifySocket result;
  if (address.size() >= sizeof result.address_.sun_path)
    return refuse("a socket's path has at most " + std::to_string(sizeof result.address_.sun_path - 1) +
                  " bytes");
  result.address_.sun_family = AF_UNIX;
  std::ranges::copy(address, result.address_.sun_path);
  result.address_size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
  if (address.starts_with('@')) {
    // The kernel takes a name that begins with a zero byte, and ends where its size says.
    result.address_.sun_path[0] = '\0';
  } else {
    ++result.address_size_;
  }
  result.socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!result.socket_) return refuse(std::error_code(errno, std::generic_category()).message());
  return result;
}

bool NotifySocket::send(std::string_view message) const {
  const auto* address = reinterpret_cast<const sockaddr*>(&address_);
  const ssize_t sent = ::sendto(socket_.get(), message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                                address, address_size_);
  return sent == static_cast<ssize_t>(message.size());
}

}  // namespace fairway::command_line
