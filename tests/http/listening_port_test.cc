// SPDX-License-Identifier: Apache-2.0

// A server's port is its alone: no other socket of the same user takes a share of its connections.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/process.h"

namespace fairway::http {
namespace {

/// A socket of the same user that wants to share a port: bound, and not listening yet. Empty: it may not.
FileDescriptor bind_shared(const std::string& address, std::uint16_t port) {
  sockaddr_in four{.sin_family = AF_INET, .sin_port = htons(port)};
  sockaddr_in6 six{.sin6_family = AF_INET6, .sin6_port = htons(port)};
  const bool is_four = ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1;
  if (!is_four) ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr);
  FileDescriptor fd(::socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return {};
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  const auto* raw =
      is_four ? reinterpret_cast<const sockaddr*>(&four) : reinterpret_cast<const sockaddr*>(&six);
  if (::bind(fd.get(), raw, is_four ? sizeof four : sizeof six) != 0) return {};
  return fd;
}

FileDescriptor listen_shared(const std::string& address, std::uint16_t port) {
  FileDescriptor fd = bind_shared(address, port);
  if (fd && ::listen(fd.get(), 16) != 0) return {};
  return fd;
}

Result<std::unique_ptr<Server>> start_at(const std::string& listen, Router router = hello_routes(16)) {
  ServerOptions options;
  options.listen = listen;
  options.io_threads = 2;
  return Server::start(options, std::move(router));
}

TEST(ListeningPort, IsSharedWithNobody) {
  struct Case {
    const char* listen;
    std::vector<const char*> strangers;
  };
  for (const Case& one : {Case{"127.0.0.1:0", {"127.0.0.1", "0.0.0.0", "::"}},
                          {"[::1]:0", {"::1", "::"}},
                          {"0.0.0.0:0", {"127.0.0.1", "0.0.0.0", "::"}},
                          {":0", {"127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::"}}}) {
    const auto server = start_at(one.listen);
    ASSERT_TRUE(server) << one.listen << ": " << server.error().message;
    for (const char* stranger : one.strangers)
      EXPECT_FALSE(listen_shared(stranger, (*server)->port())) << one.listen << " and " << stranger;
  }
}

TEST(ListeningPort, IsNotThatOfWhoWouldShareIt) {
  const auto port = static_cast<std::uint16_t>(fairway::testing::free_loopback_port());
  const FileDescriptor stranger = listen_shared("127.0.0.1", port);
  ASSERT_TRUE(stranger);
  const auto server = start_at("127.0.0.1:" + std::to_string(port));
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, ErrorCode::unavailable);
}

TEST(ListeningPort, IsOfOneAloneWhereAStrangerWasBoundFirst) {
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    const auto port = static_cast<std::uint16_t>(fairway::testing::free_loopback_port());
    const FileDescriptor stranger = bind_shared(address, port);
    ASSERT_TRUE(stranger);
    const auto server = start_at("127.0.0.1:" + std::to_string(port));
    EXPECT_FALSE(server && ::listen(stranger.get(), 16) == 0) << address;
  }
}

TEST(ListeningPort, IsLostInNoRace) {
  const auto port = static_cast<std::uint16_t>(fairway::testing::free_loopback_port());
  constexpr int wanted = 200;
  std::atomic<bool> ends = false;
  std::atomic<int> starts = 0, tries = 0, taken = 0;
  std::vector<std::jthread> strangers;
  for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
    strangers.emplace_back([&, address] {
      while (!ends) {
        ++tries;
        const int before = starts;
        FileDescriptor fd = listen_shared(address, port);
        if (!fd) continue;
        // Whoever connects meanwhile is answered by nobody.
        pollfd waiting{.fd = fd.get(), .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, 1) > 0) ++taken;
        fd.reset();
        // The server has its turn: strangers who share the port could keep it forever.
        starts.wait(before);
      }
    });
  }
  int served = 0, lost = 0;
  while (starts < wanted) {
    const auto server = start_at("127.0.0.1:" + std::to_string(port));
    if (!server) continue;
    ++starts;
    starts.notify_all();
    for (int k = 0; k < 8; ++k) {
      RawClient client(port);
      client.send(hello_request);
      ++(body_of(client.read_reply()) == "hello" ? served : lost);
    }
    if (starts % 2 == 0) (*server)->drain(std::chrono::milliseconds(0));
  }
  ends = true;
  ++starts;
  starts.notify_all();
  strangers.clear();
  EXPECT_EQ(lost, 0) << "of " << served + lost << " connections";
  EXPECT_EQ(taken, 0);
  EXPECT_GT(tries, wanted);
}

TEST(ListeningPort, SpreadsConnectionsOverThreads) {
  constexpr int threads = 4, connections = 200;
  Router router;
  router.immediate("/thread", "GET", [](const Request&) {
    return Response::text(200, std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())));
  });
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.io_threads = threads;
  const auto server = Server::start(options, std::move(router)).value();
  std::map<std::string, int> served;
  std::vector<RawClient> clients;
  for (int i = 0; i < connections; ++i) {
    clients.emplace_back(server->port());
    clients.back().send("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n");
    ++served[body_of(clients.back().read_reply())];
  }
  EXPECT_EQ(served.size(), std::size_t{threads});
  for (const auto& [thread, count] : served) EXPECT_GT(count, connections / threads / 2) << thread;
}

TEST(ListeningPort, IsFreeOnceItsServerHasDrained) {
  const auto server = start_at("127.0.0.1:0").value();
  const auto port = server->port();
  RawClient client(port);
  client.send(hello_request);
  EXPECT_EQ(body_of(client.read_reply()), "hello");
  server->drain(std::chrono::milliseconds(0));
  // The server stays: no thread of it still holds the socket once all have heard of it.
  Result<std::unique_ptr<Server>> next = start_at("127.0.0.1:" + std::to_string(port));
  while (!next) next = start_at("127.0.0.1:" + std::to_string(port));
  RawClient again(port);
  again.send(hello_request);
  EXPECT_EQ(body_of(again.read_reply()), "hello");
}

}  // namespace
}  // namespace fairway::http
