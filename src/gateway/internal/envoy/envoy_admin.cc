// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/envoy/envoy_admin.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/limits.h"
#include "base/text.h"

namespace fairway::gateway {

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;

class Socket {
 public:
  Socket() : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}
  ~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Sends the request and reads until Envoy closes the connection; std::nullopt: it has not within the limits,
/// or an error, which is in errno.
std::optional<std::string> exchange(int descriptor, const std::string& request, const Limits& limits) {
  std::string got;
  std::size_t sent = 0;
  char buffer[16384];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(limits.remaining(Clock::system()));
    pollfd ready{.fd = descriptor,
                 .events = static_cast<short>(sent < request.size() ? POLLIN | POLLOUT : POLLIN),
                 .revents = 0};
    errno = ETIMEDOUT;
    if (left.count() <= 0 || got.size() > most_bytes || ::poll(&ready, 1, static_cast<int>(left.count())) < 1)
      return std::nullopt;
    if ((ready.revents & POLLOUT) != 0) {
      const ssize_t wrote =
          ::send(descriptor, request.data() + sent, request.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (wrote < 0 && errno != EAGAIN) return std::nullopt;
      if (wrote > 0) sent += static_cast<std::size_t>(wrote);
    }
    if ((ready.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t read = ::recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
    if (read == 0) return got;
    if (read < 0 && errno != EAGAIN) return std::nullopt;
    if (read > 0) got.append(buffer, static_cast<std::size_t>(read));
  }
}

/// Joins the chunks of an answer's body.
std::string joined(std::string_view chunks) {
  std::string body;
  while (!chunks.empty()) {
    std::size_t size = 0;
    const auto [rest, fault] = std::from_chars(chunks.data(), chunks.data() + chunks.size(), size, 16);
    const std::size_t begin = chunks.find("\r\n");
    if (fault != std::errc() || size == 0 || begin == std::string_view::npos) break;
    body += chunks.substr(begin + 2, size);
    chunks.remove_prefix(std::min(chunks.size(), begin + 2 + size + 2));
  }
  return body;
}

}  // namespace

Result<std::string> ask_envoy(const std::filesystem::path& socket, std::string_view method,
                              std::string_view target, std::chrono::milliseconds limit) {
  const auto failed = [&](const std::string& why) {
    return fail(ErrorCode::unavailable, "asking Envoy for " + std::string(target) + ": " + why);
  };
  // poll() goes by the machine's clock, whatever clock the caller has.
  const Limits limits = Limits::within(Clock::system(), limit);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() >= sizeof address.sun_path) return failed("the path of its socket is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const Socket connection;
  if (connection.descriptor() < 0 ||
      ::connect(connection.descriptor(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failed(std::strerror(errno));
  const auto answer =
      exchange(connection.descriptor(),
               std::string(method) + " " + std::string(target) +
                   " HTTP/1.1\r\nHost: envoy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
               limits);
  if (!answer) return failed(std::strerror(errno));
  const std::size_t head = answer->find("\r\n\r\n");
  if (!answer->starts_with("HTTP/1.1 200 ") || head == std::string::npos)
    return failed(printable(answer->substr(0, answer->find('\r')), 200));
  const bool is_chunked = answer->substr(0, head).contains("transfer-encoding: chunked");
  const std::string body = answer->substr(head + 4);
  return is_chunked ? joined(body) : body;
}

Result<std::uint64_t> client_connections(const std::filesystem::path& socket,
                                         std::chrono::milliseconds limit) {
  // Not those that it counts by worker as well.
  const auto text = ask_envoy(socket, "GET", "/stats?filter=%5Elistener%5C..*downstream_cx_active$", limit);
  if (!text) return fail(text.error());
  std::uint64_t count = 0;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t colon = line.rfind(": ");
    if (colon == std::string_view::npos || line.starts_with("listener.admin.") || line.contains(".worker_"))
      continue;
    std::uint64_t one = 0;
    std::from_chars(line.data() + colon + 2, line.data() + line.size(), one);
    count += one;
  }
  return count;
}

}  // namespace fairway::gateway
