// SPDX-License-Identifier: Apache-2.0

// Hostile clients of an HTTP server on loopback, and a well-behaved one beside them.
//   bench_hostile attack PORT TLS_PORT PATH SECONDS    prints what was done to the server
//   bench_hostile poll URL SECONDS                     prints polls, answered ones, p50, p99 and most (ms)
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/file_descriptor.h"
#include "http/client.h"

namespace {

using fairway::FileDescriptor;
using std::chrono::steady_clock;

constexpr int processes = 4;
constexpr int addresses_each = 16;
/// Totals of all processes: connections held at once, connections opened at least, and bytes of large bodies.
constexpr std::size_t held_at_once = 8'000, least_opened = 20'000, body_bytes = std::size_t{500} << 20;
constexpr std::size_t opened_at_once = 100;
constexpr std::chrono::milliseconds tick{10};

sockaddr_in loopback(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl((127U << 24) | host);
  return address;
}

enum class Kind : std::uint8_t { half_head, slow_body, slow_reader, tls_stall, garbage, large_body };
constexpr int kinds = 6;

struct Hostile {
  FileDescriptor fd;
  Kind kind = Kind::half_head;
  std::string to_send;
  std::size_t sent = 0;
};

struct Counts {
  std::array<std::size_t, kinds> opened{};
  std::size_t closed_by_server = 0, failed = 0, bytes = 0, most_held = 0;
};

class Attacker {
 public:
  Attacker(int number, std::uint16_t port, std::uint16_t tls_port, std::string path)
      : number_(number),
        port_(port),
        tls_port_(tls_port),
        path_(std::move(path)),
        random_(static_cast<std::uint64_t>(number)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  Counts run(std::chrono::seconds time) {
    const auto began = steady_clock::now();
    std::size_t opened = 0;
    // For a while longer where not everything is done yet.
    while (steady_clock::now() < began + time || ((opened < least_opened / processes || bodies_left_ > 0) &&
                                                  steady_clock::now() < began + 4 * time)) {
      for (std::size_t i = 0; i < opened_at_once && held_.size() < held_at_once / processes; ++i, ++opened)
        open();
      counts_.most_held = std::max(counts_.most_held, held_.size());
      dribble();
      turn();
    }
    return counts_;
  }

 private:
  void open() {
    const auto kind = bodies_left_ > 0 && random_() % 4 == 0 ? Kind::large_body
                                                             : static_cast<Kind>(random_() % (kinds - 1));
    Hostile next;
    next.kind = kind;
    next.fd = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int small = 2048;
    if (kind == Kind::slow_reader) ::setsockopt(next.fd.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    const sockaddr_in from =
        loopback((1U << 16) + (static_cast<std::uint32_t>(number_) << 8) + 1 + random_() % addresses_each, 0);
    const sockaddr_in to = loopback(1, kind == Kind::tls_stall ? tls_port_ : port_);
    if (!next.fd || ::bind(next.fd.get(), reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0 ||
        (::connect(next.fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
         errno != EINPROGRESS)) {
      ++counts_.failed;
      return;
    }
    next.to_send = text(kind);
    ++counts_.opened[static_cast<std::size_t>(kind)];
    const int fd = next.fd.get();
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.fd = fd}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
    held_.emplace(fd, std::move(next));
  }

  std::string text(Kind kind) {
    const std::string get = "GET " + path_ + " HTTP/1.1\r\nHost: a\r\n";
    switch (kind) {
      case Kind::half_head:
        return get + "X: ";
      case Kind::slow_body:
        return "POST " + path_ + " HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\nab";
      case Kind::slow_reader:
        return get + "\r\n";
      case Kind::tls_stall:
        return {"\x16\x03\x01\x02\x00\x01", 6};
      case Kind::garbage: {
        std::string bytes(4096, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random_());
        return bytes;
      }
      case Kind::large_body: {
        const std::size_t size = std::min<std::size_t>(900'000, bodies_left_);
        bodies_left_ -= size;
        return "POST " + path_ + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
               "\r\n\r\n" + std::string(size, 'x');
      }
    }
    return {};
  }

  /// Sends one more byte on some connections, so that they are slow rather than silent; and ends some.
  void dribble() {
    if (held_.empty()) return;
    auto bucket = random_() % held_.bucket_count();
    std::vector<int> ended;
    for (std::size_t i = 0; i < 64; ++i, bucket = (bucket + 1) % held_.bucket_count()) {
      for (auto one = held_.begin(bucket); one != held_.end(bucket); ++one) {
        Hostile& hostile = one->second;
        if (hostile.kind == Kind::half_head || hostile.kind == Kind::slow_body) {
          if (::send(hostile.fd.get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) ++counts_.bytes;
        } else if (hostile.kind != Kind::large_body && random_() % 16 == 0) {
          ended.push_back(hostile.fd.get());
        }
      }
    }
    for (const int fd : ended) held_.erase(fd);
  }

  void turn() {
    std::array<epoll_event, 256> events;
    const auto until = steady_clock::now() + tick;
    for (auto now = steady_clock::now(); now < until; now = steady_clock::now()) {
      const int count =
          ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                       static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(until - now).count()));
      for (int i = 0; i < count; ++i) {
        const auto found = held_.find(events[static_cast<std::size_t>(i)].data.fd);
        if (found != held_.end() && !go_on(found->second, events[static_cast<std::size_t>(i)].events))
          held_.erase(found);
      }
    }
  }

  /// Continues a connection. Returns false if it has ended.
  bool go_on(Hostile& hostile, std::uint32_t events) {
    while (hostile.sent < hostile.to_send.size()) {
      const std::string_view rest = std::string_view(hostile.to_send).substr(hostile.sent);
      const auto sent = ::send(hostile.fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
      if (sent <= 0) {
        ++counts_.closed_by_server;
        return false;
      }
      hostile.sent += static_cast<std::size_t>(sent);
      counts_.bytes += static_cast<std::size_t>(sent);
    }
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      ++counts_.closed_by_server;
      return false;
    }
    // A body that was sent whole has had its answer.
    return hostile.kind != Kind::large_body || hostile.sent < hostile.to_send.size() ||
           (events & EPOLLIN) == 0;
  }

  int number_;
  std::uint16_t port_, tls_port_;
  std::string path_;
  std::mt19937_64 random_;
  FileDescriptor epoll_;
  std::unordered_map<int, Hostile> held_;
  std::size_t bodies_left_ = body_bytes / processes;
  Counts counts_;
};

int attack(std::uint16_t port, std::uint16_t tls_port, const std::string& path, std::chrono::seconds time) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return 1;
  for (int number = 0; number < processes; ++number) {
    if (::fork() != 0) continue;
    const Counts counts = Attacker(number, port, tls_port, path).run(time);
    return ::write(ends[1], &counts, sizeof counts) == sizeof counts ? 0 : 1;
  }
  ::close(ends[1]);
  Counts all, one;
  while (::read(ends[0], &one, sizeof one) == sizeof one) {
    for (std::size_t i = 0; i < kinds; ++i) all.opened[i] += one.opened[i];
    all.closed_by_server += one.closed_by_server;
    all.failed += one.failed;
    all.bytes += one.bytes;
    all.most_held += one.most_held;
  }
  while (::wait(nullptr) > 0) {
  }
  std::printf(
      "half heads %zu, slow bodies %zu, slow readers %zu, TLS stalls %zu, garbage %zu, large bodies %zu; "
      "at once %zu, sent %zu MiB, closed by the server %zu, not opened %zu\n",
      all.opened[0], all.opened[1], all.opened[2], all.opened[3], all.opened[4], all.opened[5], all.most_held,
      all.bytes >> 20, all.closed_by_server, all.failed);
  return 0;
}

/// Makes one request over a connection of its own. Returns whether it was answered with 200 and a whole body.
bool poll_once(const fairway::http::Url& url) {
  fairway::http::ClientOptions options;
  options.system_cas = options.proxy_environment = false;
  options.insecure_skip_verify = true;  // of a certificate of its own
  const auto client = fairway::http::Client::create(options);
  if (!client) return false;
  fairway::http::Call call;
  call.url = url;
  call.headers.add("Connection", "close");
  call.limits = fairway::Limits::within(fairway::Clock::system(), std::chrono::seconds(5));
  const auto reply = (*client)->send(call);
  return reply && reply->status == 200;
}

int poll_server(const std::string& text, std::chrono::seconds time) {
  const auto url = fairway::http::Url::parse(text);
  if (!url) {
    std::fprintf(stderr, "error: %s\n", url.error().message.c_str());
    return 2;
  }
  std::vector<double> took;
  std::size_t polls = 0;
  const auto until = steady_clock::now() + time;
  for (; steady_clock::now() < until; ++polls, std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    const auto began = steady_clock::now();
    if (poll_once(*url))
      took.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - began).count());
  }
  std::ranges::sort(took);
  const auto at = [&](double share) {
    return took.empty() ? 0.0
                        : took[std::min(took.size() - 1,
                                        static_cast<std::size_t>(share * static_cast<double>(took.size())))];
  };
  std::printf("%zu %zu %.2f %.2f %.2f\n", polls, took.size(), at(0.5), at(0.99), at(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int at) { return static_cast<int>(std::strtol(argv[at], nullptr, 10)); };
  if (argc == 6 && std::string_view(argv[1]) == "attack") {
    return attack(static_cast<std::uint16_t>(number(2)), static_cast<std::uint16_t>(number(3)), argv[4],
                  std::chrono::seconds(number(5)));
  }
  if (argc == 4 && std::string_view(argv[1]) == "poll")
    return poll_server(argv[2], std::chrono::seconds(number(3)));
  std::fputs("usage: see the comment at the top of bench/hostile/main.cc\n", stderr);
  return 2;
}
