// SPDX-License-Identifier: Apache-2.0

// Connections that close while the kernel still holds a part of their reply: who gets the rest, and for how
// long it is held.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

/// Size of a page that the kernel takes whole, and that does not fit into its reader's buffer.
constexpr std::size_t page_bytes = 30'000;
constexpr int small_buffer = 4096;
const std::string page_request = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";

class UnreadClose : public ::testing::Test {
 protected:
  void start(ServerOptions options) {
    options.io_threads = 1;
    server = start_hello_server(options, hello_routes(page_bytes));
  }
  /// A client that has asked for a page, and has read nothing of it.
  RawClient reader(const char* from = nullptr) const {
    const std::uint64_t before = server->counts().requests;
    RawClient client(server->port(), small_buffer, from);
    client.send(page_request);
    EXPECT_TRUE(eventually([&] { return server->counts().requests > before; }));
    return client;
  }
  bool all_closed() const {
    return eventually([&] { return server->counts().connections_open == 0; });
  }
  static bool got_whole_page(RawClient& client) { return body_of(client.read_to_end()).size() == page_bytes; }

  std::unique_ptr<Server> server;
};

/// Reads the bytes that have been received, a kilobyte at the most.
std::string read_some(const RawClient& client) {
  std::string some(1024, '\0');
  const ssize_t size = ::recv(client.fd(), some.data(), some.size(), MSG_DONTWAIT);
  some.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return some;
}

/// Returns whether the kernel has a socket of the server that is connected to this client (proc(5),
/// /proc/net/tcp).
bool kernel_has_socket_for(const RawClient& client) {
  sockaddr_in local{}, remote{};
  socklen_t size = sizeof local;
  ::getsockname(client.fd(), reinterpret_cast<sockaddr*>(&local), &size);
  ::getpeername(client.fd(), reinterpret_cast<sockaddr*>(&remote), &size);
  const auto port_of = [](const std::string& address) {
    return std::stoi(address.substr(address.find(':') + 1), nullptr, 16);
  };
  std::ifstream table("/proc/net/tcp");
  std::string line;
  std::getline(table, line);
  std::string number, from, to;
  while (table >> number >> from >> to && std::getline(table, line)) {
    if (port_of(from) == ntohs(remote.sin_port) && port_of(to) == ntohs(local.sin_port)) return true;
  }
  return false;
}

TEST_F(UnreadClose, LetsItsReaderReadOn) {
  start({});
  RawClient client = reader();
  client.finish_sending();
  ASSERT_TRUE(all_closed());
  EXPECT_TRUE(kernel_has_socket_for(client));
  EXPECT_TRUE(got_whole_page(client));
}

TEST_F(UnreadClose, HoldsNothingForLongForWhoeverReadsNothing) {
  start({.rate_window = 300ms});
  RawClient client = reader();
  client.finish_sending();
  ASSERT_TRUE(all_closed());
  EXPECT_TRUE(eventually([&] { return !kernel_has_socket_for(client); }));
}

TEST_F(UnreadClose, DropsWhatNobodyTookForAsLongAsAConnectionMayBeIdle) {
  for (const bool is_long : {true, false}) {
    start({.rate_window = is_long ? 300ms : 300s, .idle_timeout = 2s});
    RawClient client = reader();
    ASSERT_TRUE(all_closed());
    EXPECT_EQ(got_whole_page(client), !is_long) << "time to read may be longer";
  }
}

TEST_F(UnreadClose, DropsWhatWasNotTakenInTimeToMakeRoom) {
  start({.max_connections = 2, .max_connections_per_address = 2});
  const auto first_of_three_gets_its_page = [&](std::chrono::milliseconds after,
                                                bool reads_meanwhile = false) {
    RawClient one = reader("127.0.0.2"), other = reader("127.0.0.3");
    constexpr auto between = 100ms;
    std::string got;
    for (auto waited = 0ms; waited < after; waited += between) {
      std::this_thread::sleep_for(between);
      if (reads_meanwhile) got += read_some(one);
    }
    const std::uint64_t before = server->counts().shed_idle;
    RawClient newest(server->port());
    newest.send(hello_request);
    EXPECT_EQ(body_of(newest.read_reply()), "hello");
    EXPECT_EQ(server->counts().shed_idle, before + 1);
    got += one.read_to_end();
    other.reset();
    newest.reset();
    EXPECT_TRUE(all_closed());
    return body_of(got).size() == page_bytes;
  };
  EXPECT_FALSE(first_of_three_gets_its_page(1500ms));
  EXPECT_TRUE(eventually([&] { return first_of_three_gets_its_page(1500ms, true); }))
      << "it reads, if slowly; on a busy machine not always";
  EXPECT_TRUE(eventually([&] { return first_of_three_gets_its_page(0ms); }))
      << "on a busy machine not at once";
}

}  // namespace
}  // namespace fairway::http
