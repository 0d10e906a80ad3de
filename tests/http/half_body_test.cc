// SPDX-License-Identifier: Apache-2.0

// Bodies that have come in part, where they have no limit of their own: they count for the address that sends
// them.
#include <gtest/gtest.h>

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

const std::string body_head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n";
const std::string most_of_a_body(1'000'000, 'x');

ServerOptions patient() {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unfinished_bytes = 4 << 20;
  options.max_unfinished_per_address = 1000;
  options.header_timeout = options.body_timeout = options.rate_window = 300s;
  return options;
}

TEST(HalfBodies, CountForTheAddressThatHoldsMost) {
  const auto server = start_hello_server(patient());
  const auto unfinished = [&](std::size_t count) {
    return eventually([&] { return server->counts().unfinished == count; });
  };
  std::vector<RawClient> heads;
  for (std::size_t i = 0; i < 30; ++i) {
    heads.emplace_back(server->port(), 0, "127.0.0.2");
    heads.back().send("GET /hello HT");
  }
  ASSERT_TRUE(unfinished(30));
  std::vector<RawClient> bodies;
  for (int i = 0; i < 3; ++i) {
    bodies.emplace_back(server->port(), 0, "127.0.0.3");
    bodies.back().send(body_head + most_of_a_body);
    ASSERT_TRUE(i == 2 || unfinished(31 + static_cast<std::size_t>(i)));
  }
  RawClient other(server->port(), 0, "127.0.0.4");
  other.send("GET /hello HT");
  ASSERT_TRUE(eventually([&] { return server->counts().shed_memory > 0; }));
  other.send("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(body_of(other.read_reply()), "hello");
  for (RawClient& head : heads) {
    head.send("TP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_EQ(body_of(head.read_reply()), "hello") << "one megabyte of bodies gives way before many heads";
  }
}

TEST(HalfBodies, AreBoundedAlsoWhereTheyGrowAfterTheyBegan) {
  const auto server = start_hello_server(patient());
  std::vector<RawClient> bodies;
  for (int i = 0; i < 20; ++i) {
    bodies.emplace_back(server->port(), 0, "127.0.0.3");
    bodies.back().send(body_head);
  }
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished == bodies.size(); }));
  for (RawClient& body : bodies) body.send(most_of_a_body);  // some are closed on the way
  EXPECT_TRUE(eventually([&] { return server->counts().unfinished <= 5; }))
      << "four megabytes, and not twenty";
  RawClient other(server->port());
  other.send(hello_request);
  EXPECT_EQ(body_of(other.read_reply()), "hello");
}

}  // namespace
}  // namespace fairway::http
