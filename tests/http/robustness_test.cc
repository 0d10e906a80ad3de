// SPDX-License-Identifier: Apache-2.0

// Slow, broken and hostile connections: others keep being served.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <thread>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

void expect_served(const Server& server) {
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(hello_request));
    ASSERT_EQ(body_of(client.read_reply()), "hello");
  }
}

/// Returns the number of connections that a test may hold: both ends are in this process.
std::size_t affordable_connections(std::size_t wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t affordable = limit.rlim_cur > 1000 ? (limit.rlim_cur - 1000) / 2 : 100;
  if (affordable < wanted) {
    std::cout << "the limit on open files allows " << affordable << " of " << wanted << " connections\n";
  }
  return std::min(affordable, wanted);
}

TEST(Robustness, ThousandsOfIdleAndHalfRequestsDoNotKeepOthersFromBeingServed) {
  ServerOptions options;
  options.max_unfinished_per_address = 2000;  // one address has them all, and may end each
  options.header_timeout = options.body_timeout = options.write_timeout = 300s;
  const auto server = start_hello_server(options);
  const std::size_t count = affordable_connections(3000);
  std::vector<RawClient> clients;
  clients.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server->port(), 4096);
    ASSERT_TRUE(clients.back().connected()) << i;
    switch (i % 6) {
      case 0:  // says nothing
        break;
      case 1:
        clients.back().send("GET /hel");
        break;
      case 2:
        clients.back().send("GET /hello HTTP/1.1\r\nHost: a\r\nX: ");
        break;
      case 3:
        clients.back().send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc");
        break;
      case 4:  // kept alive
        clients.back().send(hello_request);
        break;
      case 5:  // never reads
        clients.back().send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
        break;
    }
    if (i % 500 == 0) expect_served(*server);
  }
  expect_served(*server);
  for (std::size_t i = 1; i < count; i += 6) {
    ASSERT_TRUE(clients[i].send("lo HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_EQ(body_of(clients[i].read_reply()), "hello");
  }
  for (std::size_t i = 0; i < count; i += 3) clients[i].reset();
  expect_served(*server);
}

TEST(Robustness, SlowHeadsAndBodiesGet408AndIdleConnectionsClose) {
  ServerOptions options;
  options.header_timeout = 300ms;
  options.body_timeout = 300ms;
  options.idle_timeout = 300ms;
  const auto server = start_hello_server(options);
  RawClient head(server->port());
  RawClient body(server->port());
  RawClient idle(server->port());
  RawClient dribbles(server->port());
  head.send("GET /hello HTTP/1.1\r\nHost: a\r\n");
  body.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
  idle.send(hello_request);
  EXPECT_EQ(body_of(idle.read_reply()), "hello");
  std::jthread dribbler([&](const std::stop_token& stop) {
    // Never silent for long, and never done.
    dribbles.send("GET /hello HTTP/1.1\r\n");
    while (!stop.stop_requested() && dribbles.send("X: y\r\n")) std::this_thread::sleep_for(20ms);
  });
  EXPECT_EQ(status_of(head.read_reply()), 408);
  EXPECT_TRUE(head.closes_within(5s));
  EXPECT_EQ(status_of(body.read_reply()), 408);
  EXPECT_TRUE(body.closes_within(5s));
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_TRUE(idle.closes_within(5s));
  EXPECT_EQ(status_of(dribbles.read_reply()), 408);
}

TEST(Robustness, AClientThatDoesNotReadIsCutOff) {
  ServerOptions options;
  options.write_timeout = 300ms;
  const auto server = start_hello_server(options);
  RawClient client(server->port(), 4096);
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(client.read_some());
  EXPECT_TRUE(testing::eventually([&] { return server->counts().connections_open == 0; }));
}

TEST(Robustness, ARefusedBodyStillLetsTheClientReadWhy) {
  ServerOptions options;
  options.max_body_bytes = 10;
  const auto server = start_hello_server(options);
  RawClient client(server->port());
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
  for (int i = 0; i < 20; ++i) client.send(std::string(100'000, 'x'));
  EXPECT_EQ(status_of(client.read_reply()), 413);
}

TEST(Robustness, GarbageAndCutsDoNoHarm) {
  const auto server = start_hello_server();
  std::mt19937 random(11);
  const std::string valid =
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n5\r\nhello\r\n0\r\n\r\n" +
      hello_request;
  for (int i = 0; i < 600; ++i) {
    RawClient client(server->port());
    std::string bytes = valid;
    for (int flips = static_cast<int>(random() % 6); flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    if (i % 5 == 0) std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    client.send(bytes);
    if (i % 4 == 0) {
      client.reset();
    } else if (i % 4 == 1) {
      client.finish_sending();
      client.read_to_end();
    }
  }
  expect_served(*server);
}

TEST(Robustness, IdleConnectionsGiveWayToNewOnesBeyondTheLimit) {
  ServerOptions options;
  options.max_connections = 10;
  const auto server = start_hello_server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 30; ++i) {
    clients.emplace_back(server->port());
    clients.back().send(hello_request);
    ASSERT_EQ(body_of(clients.back().read_reply()), "hello") << i;
  }
  EXPECT_LE(server->counts().connections_open, 10U);
  EXPECT_TRUE(clients.front().closes_within(5s));
}

TEST(Robustness, NewConnectionsAreRefusedWhileAllAreBusy) {
  ServerOptions options;
  options.max_connections = 4;
  const auto server = start_hello_server(options);
  std::vector<RawClient> busy;
  for (int i = 0; i < 4; ++i) {
    busy.emplace_back(server->port(), 4096);
    busy.back().send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(busy.back().read_some());
  }
  RawClient refused(server->port());
  refused.send(hello_request);
  EXPECT_EQ(refused.read_to_end(), "");
  EXPECT_GT(server->counts().shed_address + server->counts().shed_full, 0U);
  busy.pop_back();
  const auto until = std::chrono::steady_clock::now() + 10s;
  std::string body;
  while (body != "hello" && std::chrono::steady_clock::now() < until) {
    RawClient again(server->port());
    again.send(hello_request);
    body = body_of(again.read_reply());
  }
  EXPECT_EQ(body, "hello");
}

TEST(Robustness, RunningOutOfDescriptorsStopsNothing) {
  ServerOptions options;
  options.io_threads = 1;
  const auto server = start_hello_server(options);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  {
    std::vector<FileDescriptor> hoard;
    std::vector<RawClient> clients;
    for (int i = 0; i < 20; ++i) clients.emplace_back(server->port());
    clients.emplace_back(server->port());
    rlimit tight = before;
    tight.rlim_cur = 200;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    EXPECT_TRUE(testing::eventually([&] { return server->counts().connections_open == 21; }));
    while (true) {
      FileDescriptor fd(::dup(0));
      if (!fd) break;
      hoard.push_back(std::move(fd));
    }
    hoard.pop_back();
    // The client's end takes the last one; for the server's an idle connection has to go.
    RawClient client(server->port());
    ASSERT_TRUE(client.connected());
    client.send(hello_request);
    EXPECT_EQ(body_of(client.read_reply()), "hello");
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_served(*server);
}

}  // namespace
}  // namespace fairway::http
