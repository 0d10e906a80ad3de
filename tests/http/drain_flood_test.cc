// SPDX-License-Identifier: Apache-2.0

// A server that stops while requests pour in: what one connection reads then may close others.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <vector>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

constexpr std::size_t most_half = 10;

TEST(DrainInAFlood, GoesOnWhereAConnectionClosesTheNextOne) {
  std::latch drained(1), flooded(1);
  Server* running = nullptr;
  Router router = hello_routes();
  // On the one I/O thread: what comes in until it returns is read after it, and the drain before most of it.
  router.immediate("/drain", "GET", [&](const Request&) {
    running->drain(0ms);
    drained.count_down();
    flooded.wait();
    return Response::text(200, "drained");
  });
  ServerOptions options;
  options.io_threads = 1;
  options.max_unfinished_bytes = most_half * 36'864;
  options.max_unfinished_per_address = most_half;
  options.header_timeout = 300s;
  const auto server = start_hello_server(options, std::move(router));
  running = server.get();

  const auto served = [&](const char* from) {
    RawClient client(server->port(), 0, from);
    client.send(hello_request);
    EXPECT_EQ(body_of(client.read_reply()), "hello");
    return client;
  };
  // In the order in which they are looked at: what the first one sends closes the second one, which is the
  // oldest of the address that holds most.
  RawClient light = served("127.0.0.2");
  std::vector<RawClient> heavy, others;
  for (std::size_t i = 0; i < most_half; ++i) {
    heavy.push_back(served("127.0.0.3"));
    heavy.back().send("GET /hello HT");
    ASSERT_TRUE(eventually([&] { return server->counts().unfinished == heavy.size(); }));
  }
  // More than the loop takes from the kernel at once.
  for (int i = 0; i < 300; ++i) others.push_back(served(nullptr));

  RawClient stopping(server->port());
  stopping.send("GET /drain HTTP/1.1\r\nHost: a\r\n\r\n");
  drained.wait();
  for (RawClient& each : others) each.send("\r\n");
  light.send("GET /hello HT");
  flooded.count_down();
  EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
  EXPECT_EQ(server->counts().shed_memory, 1U) << "the case that is meant";
}

}  // namespace
}  // namespace fairway::http
