// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

namespace fairway::http {
namespace {

constexpr int backlog = 4096;
/// Bytes of a reply that the kernel takes beyond the peer's receive window. The kernel's own limit grows to
/// megabytes for each connection (tcp(7), tcp_wmem): clients that do not read would fill the memory that all
/// connections of a machine share, and packets of others would be dropped.
constexpr int most_unsent = 32 << 10;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::unexpected<Error> cannot_listen(std::string_view text, ErrorCode code, const std::string& why) {
  return fail(code, "listening on " + std::string(text) + ": " + why);
}

Result<Address> read_address(std::string_view text) {
  const auto malformed = [text] {
    return cannot_listen(text, ErrorCode::invalid,
                         "an address looks like 127.0.0.1:8080, [::1]:8080 or :8080");
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return malformed();
  const std::string_view port_text = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (error != std::errc() || end != port_text.data() + port_text.size()) return malformed();
  std::string host(text.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return malformed();
  }
  Address address;
  if (host.empty()) {
    // One socket for IPv6 and IPv4 alike.
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = in6addr_any;
    any.sin6_port = htons(port);
    std::memcpy(&address.storage, &any, sizeof any);
    address.size = sizeof any;
    return address;
  }
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      failure != 0) {
    return cannot_listen(text, ErrorCode::invalid, ::gai_strerror(failure));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  return address;
}

std::string reason(int error) {
  std::string why = std::generic_category().message(error);
  if (error == EADDRINUSE) why += "; another process listens there: stop it, or choose another address";
  if (error == EACCES) why += "; ports below 1024 need CAP_NET_BIND_SERVICE";
  return why;
}

void set_option(int fd, int level, int name, int value) {
  ::setsockopt(fd, level, name, &value, sizeof value);
}

/// A bound socket. Without SO_REUSEPORT: the kernel would give a share of the connections to each process of
/// the same user that binds the port as well.
Result<FileDescriptor> bind_to(std::string_view text, const Address& address) {
  FileDescriptor fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd) {
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (address.storage.ss_family == AF_INET6) {
      const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.storage);
      set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, IN6_IS_ADDR_UNSPECIFIED(&v6.sin6_addr) ? 0 : 1);
    }
    // Accepted sockets inherit it.
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, most_unsent);
    if (::bind(fd.get(), address.raw(), address.size) == 0) return fd;
  }
  return cannot_listen(text, ErrorCode::unavailable, reason(errno));
}

std::string address_text(const Address& address) {
  std::array<char, NI_MAXHOST> host{};
  ::getnameinfo(address.raw(), address.size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST);
  const std::string text = host.data();
  return text.find(':') == std::string::npos ? text : "[" + text + "]";
}

std::uint16_t& port_of(Address& address) {
  return address.storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port
                                               : reinterpret_cast<sockaddr_in&>(address.storage).sin_port;
}

}  // namespace

Result<Listening> listen_on(std::string_view text, std::size_t count) {
  auto address = read_address(text);
  if (!address) return fail(address.error());
  auto fd = bind_to(text, *address);
  if (!fd) return fail(fd.error());
  // Somebody who bound the address at the same time may have been faster.
  if (::listen(fd->get(), backlog) != 0) return cannot_listen(text, ErrorCode::unavailable, reason(errno));
  Address bound;
  bound.size = sizeof bound.storage;
  ::getsockname(fd->get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.size);
  Listening listening;
  listening.port = ntohs(port_of(bound));
  listening.address = address_text(*address) + ":" + std::to_string(listening.port);
  listening.sockets.push_back(std::move(*fd));
  while (listening.sockets.size() < count) {
    FileDescriptor copy(::fcntl(listening.sockets.front().get(), F_DUPFD_CLOEXEC, 0));
    if (!copy) return cannot_listen(text, ErrorCode::unavailable, reason(errno));
    listening.sockets.push_back(std::move(copy));
  }
  return listening;
}

}  // namespace fairway::http
