// SPDX-License-Identifier: Apache-2.0

// The client of the benchmark of API servers: one and the same for both.
//   bench_apiserver ready PORT BEGUN           milliseconds from BEGUN (nanoseconds since 1970) until
//                                              /readyz is 200
//   bench_apiserver creates PORT IDENTITY      durable creates a second by 16 clients, and the 99th
//                                              percentile (ms)
//   bench_apiserver fill PORT IDENTITY         makes 10,000 ConfigMaps of 2 KB
//   bench_apiserver list PORT IDENTITY         milliseconds of a list of them, and its megabytes
//   bench_apiserver watch PORT IDENTITY PID... events a second to 1,000 watchers, and the CPU of the servers
//                                              and of the client an event (us)
//   bench_apiserver watch2 PORT IDENTITY PID... the same over HTTP/2: ten clients with 100 watches, each on
//   one
//                                              connection
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "connection.h"
#include "multiplexed.h"

namespace {

using fairway::bench::Connection;
using fairway::bench::Multiplexed;
using fairway::bench::Target;
using Steady = std::chrono::steady_clock;

constexpr int clients = 16;
constexpr int listed = 10'000;
constexpr int watchers = 1'000;
constexpr int events = 200;
constexpr auto load_time = std::chrono::seconds(5);
constexpr auto timeout = std::chrono::seconds(300);
const std::string collection = "/api/v1/namespaces/";

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

/// Returns a ConfigMap of 2 KB.
std::string object(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("},"data":{"k":")" +
         std::string(1900, 'x') + "\"}}";
}

void create(Connection& connection, const std::string& in_namespace, const std::string& name) {
  const bool sent = connection.send("POST", collection + in_namespace + "/configmaps", object(name));
  if (const int status = sent ? connection.receive().status : 0; status != 201) {
    die("creating " + name + ": " + std::to_string(status));
  }
}

void make_namespace(const Target& target, const std::string& name) {
  Connection connection(target);
  const std::string body = R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}";
  connection.send("POST", "/api/v1/namespaces", body);
  if (const int status = connection.receive().status; status != 201 && status != 409) {
    die("creating the namespace: " + std::to_string(status));
  }
}

void ready(const Target& target, std::int64_t begun) {
  const auto until = Steady::now() + timeout;
  while (Steady::now() < until) {
    if (Connection connection(target); connection.is_open()) {
      if (connection.send("GET", "/readyz") && connection.receive().status == 200) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto passed = std::chrono::nanoseconds(now) - std::chrono::nanoseconds(begun);
        std::printf("%.1f\n", std::chrono::duration<double, std::milli>(passed).count());
        return;
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  die("the server does not become ready");
}

void creates(const Target& target) {
  make_namespace(target, "load");
  const std::string run = std::to_string(::getpid());
  std::vector<std::vector<double>> times(clients);
  const auto begin = Steady::now();
  {
    std::vector<std::jthread> threads;
    for (std::size_t client = 0; client < clients; ++client) {
      threads.emplace_back([&, client] {
        Connection connection(target);
        for (int n = 0; Steady::now() - begin < load_time; ++n) {
          const auto start = Steady::now();
          create(connection, "load", "n" + run + "-" + std::to_string(client) + "-" + std::to_string(n));
          times[client].push_back(seconds_since(start));
        }
      });
    }
  }
  const double took = seconds_since(begin);
  std::vector<double> all;
  for (const auto& one : times) all.insert(all.end(), one.begin(), one.end());
  std::ranges::sort(all);
  std::printf("%.0f %.2f\n", static_cast<double>(all.size()) / took, all[all.size() * 99 / 100] * 1e3);
}

void fill(const Target& target) {
  make_namespace(target, "listed");
  std::atomic<int> next{0};
  std::vector<std::jthread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&] {
      Connection connection(target);
      for (int n = next++; n < listed; n = next++) create(connection, "listed", "n" + std::to_string(n));
    });
  }
}

void list(const Target& target) {
  Connection connection(target);
  std::vector<double> times;
  std::size_t bytes = 0;
  constexpr int lists = 7;
  for (int i = 0; i < lists; ++i) {
    const auto begin = Steady::now();
    connection.send("GET", collection + "listed/configmaps");
    const auto reply = connection.receive();
    if (reply.status != 200) die("listing: " + std::to_string(reply.status));
    times.push_back(seconds_since(begin));
    bytes = reply.bytes;
  }
  std::ranges::sort(times);
  std::printf("%.1f %.1f\n", times[lists / 2] * 1e3, static_cast<double>(bytes) / 1e6);
}

/// Returns user and system time of these processes, in seconds.
double cpu_of(const std::vector<std::string>& processes) {
  double ticks = 0;
  for (const std::string& process : processes) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string text(std::istreambuf_iterator<char>(file), {});
    text.erase(0, text.rfind(')') + 1);
    char* at = text.data();
    // Of the fields after the name: the state, ten others, and then both times.
    std::strtok(at, " ");
    for (int i = 0; i < 10; ++i) std::strtok(nullptr, " ");
    for (int i = 0; i < 2; ++i) {
      if (const char* field = std::strtok(nullptr, " ")) ticks += std::strtod(field, nullptr);
    }
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Counts the ends of events' lines; those of chunks end in "\r\n".
class LineCounter {
 public:
  void count(const char* data, std::size_t size) {
    for (const char* at = data;
         (at = static_cast<const char*>(std::memchr(at, '\n', size - static_cast<std::size_t>(at - data)))) !=
         nullptr;
         ++at) {
      const char before = at == data ? last_ : at[-1];
      if (before == '}') ++lines_;
    }
    last_ = data[size - 1];
  }
  int lines() const { return lines_; }

 private:
  char last_ = 0;
  int lines_ = 0;
};

/// Returns user and system time of this process, in seconds.
double own_cpu() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// The connections of 1,000 watches, and what has come on them.
class Watches {
 public:
  Watches() : counters_(watchers), poll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  /// Opens a connection for each watch.
  void open_each(const Target& target) {
    for (std::size_t i = 0; i < watchers; ++i) {
      auto& connection = connections_.emplace_back(std::make_unique<Connection>(target));
      if (!connection->send("GET", path)) die("watching");
      add(*connection, [this, i, ssl = connection->ssl()] {
        int size = 0;
        while ((size = SSL_read(ssl, piece_.data(), static_cast<int>(piece_.size()))) > 0)
          count(i, piece_.data(), static_cast<std::size_t>(size));
        return SSL_get_error(ssl, size) == SSL_ERROR_WANT_READ;
      });
    }
  }
  /// Opens ten connections with 100 watches each.
  void open_shared(const Target& target) {
    constexpr std::size_t shared_by = 100;
    for (std::size_t first = 0; first < watchers; first += shared_by) {
      auto& connection = connections_.emplace_back(std::make_unique<Connection>(target));
      if (!connection->is_open()) die("watching");
      // The streams of a client are 1, 3, 5 and so on.
      auto& shared = shared_.emplace_back(std::make_unique<Multiplexed>(
          *connection, [this, first](std::int32_t stream, const char* data, std::size_t size) {
            count(first + static_cast<std::size_t>(stream / 2), data, size);
          }));
      for (std::size_t i = 0; i < shared_by; ++i) {
        if (shared->get(path) < 0) die("watching");
      }
      add(*connection, [&one = *shared] { return one.advance(); });
      if (!shared->advance()) die("watching");
    }
  }
  /// Reads until all watchers have had so many events.
  void read_until(int each) {
    const auto until = Steady::now() + timeout;
    std::array<epoll_event, 256> found;
    while (delivered_ < static_cast<long>(watchers) * each) {
      if (Steady::now() > until) die("events are missing: " + std::to_string(delivered_));
      const int count = ::epoll_wait(poll_, found.data(), static_cast<int>(found.size()), 1000);
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
        if (!readers_[found[i].data.u32]()) die("a watch has ended");
      }
    }
  }

 private:
  void add(const Connection& connection, std::function<bool()> reader) {
    ::fcntl(connection.socket(), F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.u32 = static_cast<std::uint32_t>(readers_.size())}};
    readers_.push_back(std::move(reader));
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, connection.socket(), &event);
  }
  void count(std::size_t watcher, const char* data, std::size_t size) {
    const int before = counters_[watcher].lines();
    counters_[watcher].count(data, size);
    delivered_ += counters_[watcher].lines() - before;
  }

  const std::string path = collection + "watched/configmaps?watch=true&timeoutSeconds=3000";
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Multiplexed>> shared_;
  std::vector<std::function<bool()>> readers_;
  std::vector<LineCounter> counters_;
  std::vector<char> piece_ = std::vector<char>(1 << 18);
  int poll_;
  long delivered_ = 0;
};

/// `shared`: the target for watches that share connections; null: each has one.
void watch(const Target& target, const Target* shared, const std::vector<std::string>& processes) {
  make_namespace(target, "watched");
  Watches watches;
  if (shared != nullptr) {
    watches.open_shared(*shared);
  } else {
    watches.open_each(target);
  }
  const std::string run = "n" + std::to_string(::getpid()) + "-";
  Connection writer(target);
  // The first shows that all watch.
  create(writer, "watched", run + "first");
  watches.read_until(1);
  const double cpu = cpu_of(processes), own = own_cpu();
  const auto begin = Steady::now();
  {
    const std::jthread writing([&] {
      for (int n = 0; n < events; ++n) create(writer, "watched", run + std::to_string(n));
    });
    watches.read_until(1 + events);
  }
  const double count = static_cast<double>(watchers) * events;
  std::printf("%.0f %.2f %.2f\n", count / seconds_since(begin), (cpu_of(processes) - cpu) / count * 1e6,
              (own_cpu() - own) / count * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 3) die("usage: bench_apiserver ready|creates|fill|list|watch|watch2 PORT ...");
  const std::string& what = arguments[0];
  const int port = static_cast<int>(std::strtol(arguments[1].c_str(), nullptr, 10));
  if (what == "ready") {
    ready(Target(port, ""), std::strtoll(arguments[2].c_str(), nullptr, 10));
    return 0;
  }
  const Target target(port, arguments[2]);
  if (what == "creates") creates(target);
  if (what == "fill") fill(target);
  if (what == "list") list(target);
  const std::vector<std::string> processes(arguments.begin() + 3, arguments.end());
  if (what == "watch") watch(target, nullptr, processes);
  if (what == "watch2") {
    const Target shared(port, arguments[2], true);
    watch(target, &shared, processes);
  }
  return 0;
}
