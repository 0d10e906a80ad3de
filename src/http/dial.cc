// SPDX-License-Identifier: Apache-2.0

#include "http/dial.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

/// RFC 8305, section 5.
constexpr auto next_attempt_after = 250ms;
constexpr std::size_t most_attempts = 8;

/// TCP keepalive times, which detect a peer that vanished without closing: a stream may rightly be silent for
/// minutes.
constexpr int probe_after_seconds = 30, probe_every_seconds = 10, most_probes = 3;

void set_options(int fd) {
  const auto set = [fd](int level, int name, int value) {
    ::setsockopt(fd, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, probe_after_seconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, probe_every_seconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, most_probes);
}

struct Target {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string text() const {
    std::array<char, NI_MAXHOST> host{};
    ::getnameinfo(reinterpret_cast<const sockaddr*>(&storage), size, host.data(), host.size(), nullptr, 0,
                  NI_NUMERICHOST);
    return host.data();
  }
};

/// The result of a lookup on its own thread. Both sides hold it, so that neither has to wait for the other.
struct Lookup {
  std::mutex mutex;
  std::condition_variable_any done_or_stopped;
  bool done = false;
  int failure = 0;
  std::vector<Target> targets;
};

int look_up(const std::string& host, std::uint16_t port, int flags, std::vector<Target>& targets) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) return failure;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Target target;
    std::memcpy(&target.storage, each->ai_addr, each->ai_addrlen);
    target.size = each->ai_addrlen;
    targets.push_back(target);
  }
  ::freeaddrinfo(found);
  return 0;
}

/// The families take turns, the resolver's first choice first (RFC 8305, section 4).
std::vector<Target> interleave(const std::vector<Target>& targets) {
  std::vector<Target> first, second, mixed;
  for (const Target& target : targets) {
    (target.storage.ss_family == targets.front().storage.ss_family ? first : second).push_back(target);
  }
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) mixed.push_back(first[i]);
    if (i < second.size()) mixed.push_back(second[i]);
  }
  if (mixed.size() > most_attempts) mixed.resize(most_attempts);
  return mixed;
}

Result<std::vector<Target>> resolve_host(const std::string& host, std::uint16_t port, SteadyTime until,
                                         const SocketWait& sockets) {
  std::vector<Target> targets;
  if (look_up(host, port, AI_NUMERICHOST, targets) == 0) return targets;
  // getaddrinfo cannot be interrupted: it gets a thread that is left behind when there is no more time for
  // it.
  auto lookup = std::make_shared<Lookup>();
  std::thread([lookup, host, port] {
    std::vector<Target> found;
    const int failure = look_up(host, port, AI_ADDRCONFIG, found);
    const std::scoped_lock lock(lookup->mutex);
    lookup->failure = failure;
    lookup->targets = std::move(found);
    lookup->done = true;
    lookup->done_or_stopped.notify_all();
  }).detach();
  std::unique_lock lock(lookup->mutex);
  const bool done = lookup->done_or_stopped.wait_until(lock, sockets.limits().stop, until,
                                                       [&lookup] { return lookup->done; });
  if (sockets.limits().stop.stop_requested())
    return fail(ErrorCode::cancelled, "looking up " + host + ": stopped");
  if (!done) return fail(ErrorCode::deadline_exceeded, "looking up " + host + ": no answer in time");
  if (lookup->failure != 0) {
    return fail(ErrorCode::unavailable, "looking up " + host + ": " + ::gai_strerror(lookup->failure));
  }
  return lookup->targets;
}

}  // namespace

struct SocketWait::Wakeup {
  explicit Wakeup(const std::stop_token& stop)
      : fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback(stop, Ring{fd.get()}) {}
  struct Ring {
    int fd;
    void operator()() const {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
    }
  };
  FileDescriptor fd;
  std::stop_callback<Ring> callback;
};

SocketWait::SocketWait(const Limits& limits, const Clock& clock)
    : limits_(limits.moved(clock, Clock::system())) {
  if (limits_.stop.stop_possible()) wakeup_ = std::make_unique<Wakeup>(limits_.stop);
}
SocketWait::~SocketWait() = default;

Result<void> SocketWait::wait(pollfd* fds, std::size_t count, SteadyTime until) const {
  std::array<pollfd, most_attempts + 1> all{};
  std::copy_n(fds, count, all.begin());
  std::size_t watched = count;
  if (wakeup_) all[watched++] = {.fd = wakeup_->fd.get(), .events = POLLIN, .revents = 0};
  while (true) {
    if (limits_.stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
    const auto now = std::chrono::steady_clock::now();
    if (now >= limits_.deadline) return fail(ErrorCode::deadline_exceeded, "no answer in time");
    if (now >= until) {
      for (std::size_t i = 0; i < count; ++i) fds[i].revents = 0;
      return {};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(until, limits_.deadline) - now);
    const int ready =
        ::poll(all.data(), watched, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready <= 0) continue;
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
      fds[i].revents = all[i].revents;
      any = any || fds[i].revents != 0;
    }
    if (any && !limits_.stop.stop_requested()) return {};
  }
}

Result<void> SocketWait::wait(int fd, short events) const {
  pollfd one{.fd = fd, .events = events, .revents = 0};
  return wait(&one, 1, limits_.deadline);
}

Result<std::vector<std::string>> addresses_of(const std::string& host, std::chrono::milliseconds limit,
                                              const SocketWait& sockets) {
  const SteadyTime until = std::min(std::chrono::steady_clock::now() + limit, sockets.limits().deadline);
  const auto targets = resolve_host(host, 0, until, sockets);
  if (!targets) return fail(targets.error());
  std::vector<std::string> addresses;
  for (const Target& target : *targets) {
    std::string text = target.text();
    if (std::ranges::find(addresses, text) == addresses.end()) addresses.push_back(std::move(text));
  }
  return addresses;
}

Result<FileDescriptor> connect_to(const std::string& host, std::uint16_t port,
                                  std::chrono::milliseconds limit, const SocketWait& sockets) {
  const SteadyTime until = std::min(std::chrono::steady_clock::now() + limit, sockets.limits().deadline);
  auto targets = resolve_host(host, port, until, sockets);
  if (!targets) return fail(targets.error());
  *targets = interleave(*targets);

  struct Attempt {
    FileDescriptor fd;
    std::size_t target;
  };
  std::vector<Attempt> attempts;
  std::size_t next = 0;
  SteadyTime next_at = SteadyTime::min();
  std::string failures;
  const auto failed = [&](std::size_t target, int error) {
    if (!failures.empty()) failures += "; ";
    failures += (*targets)[target].text() + ": " + std::generic_category().message(error);
    next_at = SteadyTime::min();
  };
  const std::string doing = "connecting to " + host + " port " + std::to_string(port);
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    while (next < targets->size() && next_at <= now) {
      const Target& target = (*targets)[next];
      FileDescriptor fd(::socket(target.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      if (fd) set_options(fd.get());
      if (fd && ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&target.storage), target.size) == 0)
        return fd;
      if (!fd || errno != EINPROGRESS) {
        failed(next++, errno);
        continue;
      }
      attempts.push_back({std::move(fd), next++});
      next_at = now + next_attempt_after;
    }
    if (attempts.empty()) return fail(ErrorCode::unavailable, doing + ": " + failures);
    if (now >= until) {
      return fail(sockets.limits().deadline <= now ? ErrorCode::deadline_exceeded : ErrorCode::unavailable,
                  doing + ": no answer in time");
    }
    std::array<pollfd, most_attempts> waiting{};
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      waiting[i] = {.fd = attempts[i].fd.get(), .events = POLLOUT, .revents = 0};
    }
    const SteadyTime wake = next < targets->size() ? std::min(until, next_at) : until;
    if (auto waited = sockets.wait(waiting.data(), attempts.size(), wake); !waited) {
      return fail(waited.error().within(doing));
    }
    for (std::size_t i = attempts.size(); i-- > 0;) {
      if (waiting[i].revents == 0) continue;
      int error = 0;
      socklen_t size = sizeof error;
      ::getsockopt(attempts[i].fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0) return std::move(attempts[i].fd);
      failed(attempts[i].target, error);
      attempts.erase(attempts.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace fairway::http
