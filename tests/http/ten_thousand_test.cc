// SPDX-License-Identifier: Apache-2.0

// 10,000 slow and broken connections to a server in a process of its own, since each end needs as many
// descriptors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <iostream>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

const std::string hello_request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

/// The other process: serves until its standard input ends. An environment variable marks it.
TEST(TenThousand, DISABLED_ServerProcess) {
  if (std::getenv("FAIRWAY_TEST_SERVER_PORT_FD") == nullptr) GTEST_SKIP();
  ServerOptions options;
  options.header_timeout = options.body_timeout = options.write_timeout = 300s;
  const auto server = start_hello_server(options, hello_routes(200'000));
  const std::string port = std::to_string(server->port()) + "\n";
  ASSERT_EQ(::write(std::atoi(std::getenv("FAIRWAY_TEST_SERVER_PORT_FD")), port.data(), port.size()),
            static_cast<ssize_t>(port.size()));
  char byte = 0;
  EXPECT_EQ(::read(STDIN_FILENO, &byte, 1), 0);
}

class ServerProcess {
 public:
  ServerProcess() {
    int port_pipe[2], stop_pipe[2];
    if (::pipe2(port_pipe, 0) != 0 || ::pipe2(stop_pipe, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipes");
    FileDescriptor port_in(port_pipe[0]), port_out(port_pipe[1]), stop_in(stop_pipe[0]);
    stop_ = FileDescriptor(stop_pipe[1]);
    const std::string fd = std::to_string(port_out.get());
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(stop_in.get(), STDIN_FILENO);
      ::setenv("FAIRWAY_TEST_SERVER_PORT_FD", fd.c_str(), 1);
      ::execl("/proc/self/exe", "http_tests", "--gtest_filter=TenThousand.DISABLED_ServerProcess",
              "--gtest_also_run_disabled_tests", "--gtest_brief=1", "--gtest_output=", nullptr);
      ::_exit(127);
    }
    port_out.reset();
    std::string text;
    for (char c = 0; ::read(port_in.get(), &c, 1) == 1 && c != '\n';) text += c;
    port_ = static_cast<std::uint16_t>(std::atoi(text.c_str()));
  }
  ~ServerProcess() {
    stop_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  std::size_t resident_kilobytes() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
    }
    return 0;
  }

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  FileDescriptor stop_;
};

TEST(TenThousand, SlowAndBrokenConnectionsLeaveOthersServed) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t count = std::min<std::size_t>(10'000, limit.rlim_cur > 1000 ? limit.rlim_cur - 600 : 100);
  if (count < 10'000) std::cout << "the limit on open files allows " << count << " connections only\n";
  {
    const ServerProcess server;
    ASSERT_NE(server.port(), 0);
    const std::size_t idle_kilobytes = server.resident_kilobytes();
    std::vector<RawClient> clients;
    clients.reserve(count);
    std::chrono::steady_clock::duration slowest{};
    RawClient steady(server.port());
    const auto expect_served = [&] {
      const auto begin = std::chrono::steady_clock::now();
      ASSERT_TRUE(steady.send(hello_request));
      ASSERT_EQ(body_of(steady.read_reply()), "hello");
      RawClient fresh(server.port());
      ASSERT_TRUE(fresh.send(hello_request));
      ASSERT_EQ(body_of(fresh.read_reply()), "hello");
      slowest = std::max(slowest, std::chrono::steady_clock::now() - begin);
    };
    for (std::size_t i = 0; i < count; ++i) {
      clients.emplace_back(server.port(), 4096);
      RawClient& client = clients.back();
      ASSERT_TRUE(client.connected()) << i;
      switch (i % 8) {
        case 0:  // says nothing
          break;
        case 1:  // half a request line
          client.send("GET /hel");
          break;
        case 2:  // a head without end
          client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(8000, 'x'));
          break;
        case 3:  // a body without end
          client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\nabc");
          break;
        case 4:  // kept alive
          client.send(hello_request);
          break;
        case 5:  // never reads
          client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
          break;
        case 6:  // garbage
          client.send(std::string("\0\1\2\3garbage\r\n\r\n", 16));
          break;
        case 7:  // an oversized header, never read
          client.send("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'x'));
          break;
      }
      if (i % 100 == 0) expect_served();
      if (HasFatalFailure()) return;
    }
    expect_served();
    const std::size_t kilobytes = server.resident_kilobytes() - idle_kilobytes;
    std::cout << count << " connections: slowest pair of replies "
              << std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count() << " ms, server "
              << kilobytes / 1024 << " MiB larger\n";
    EXPECT_LT(slowest, 5s);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(kilobytes / count, 40U);
#endif
    for (RawClient& client : clients) client.reset();
    expect_served();
  }
  limit.rlim_cur = before;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace fairway::http
