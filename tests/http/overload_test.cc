// SPDX-License-Identifier: Apache-2.0

// What costs the server memory or connections is bounded: for one address, for all, and in time.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "http/certificates.h"
#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"
#include "support/generous.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

constexpr auto long_time = testing::generous(5s);
const std::string slow_body = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nab";
constexpr const char* other_address = "127.0.0.2";

/// Starts the hello server with two more paths: /endless sends half of its announced body, and /thread names
/// the I/O thread.
std::unique_ptr<Server> start(const ServerOptions& options = {}) {
  Router router = hello_routes();
  router.immediate("/endless", "GET", [](const Request&) {
    Response response;
    response.stream = Stream::make(64 << 20);
    response.stream->try_push(make_bytes(std::string(32 << 20, 'x')));
    std::thread([stream = response.stream] {
      std::mutex mutex;
      std::condition_variable_any gone;
      std::unique_lock lock(mutex);
      gone.wait(lock, stream->cancelled(), [] { return false; });
      stream->close(false);
    }).detach();
    return response;
  });
  router.immediate("/thread", "GET", [](const Request&) {
    std::ostringstream name;
    name << std::this_thread::get_id();
    return Response::text(200, name.str());
  });
  return start_hello_server(options, std::move(router));
}

/// Returns whether a client of its own is answered, at the latest after some tries.
bool served(const Server& server, const char* from = nullptr) {
  return eventually([&] {
    RawClient client(server.port(), 0, from);
    client.send(hello_request);
    return body_of(client.read_reply()) == "hello";
  });
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Overload, ABodyThatNoRouteTakesIsRefusedBeforeItComes) {
  const auto server = start();
  struct Case {
    const char* request;
    int status;
  };
  for (const Case& c : {Case{"POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 405},
                        Case{"POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 404},
                        Case{"GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 413},
                        Case{"GET /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 405},
                        Case{"HEAD /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 413},
                        Case{"POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 405},
                        Case{"POST /hello HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
                             "5\r\n\r\n",
                             405}}) {
    RawClient client(server->port());
    client.send(c.request);
    EXPECT_EQ(status_of(client.read_reply(true)), c.status) << c.request;
    EXPECT_TRUE(client.closes_within(long_time)) << c.request;
  }
  RawClient taken(server->port());
  taken.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n" + std::string(900'000, 'x'));
  EXPECT_EQ(body_of(taken.read_reply()).size(), 900'000U);
}

TEST(Overload, BodiesThatNoRouteTakesHoldNoMemory) {
  const auto server = start();
  const std::size_t before = resident_bytes();
  std::vector<RawClient> clients;
  const std::string head = "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n";
  const std::string most(899'999, 'x');
  for (int i = 0; i < 300; ++i) {
    clients.emplace_back(server->port());
    clients.back().send(head);
    clients.back().send(most);  // it may be closed on the way
  }
  EXPECT_TRUE(served(*server));
  EXPECT_LT(resident_bytes(), before + (std::size_t{100} << 20));
}

TEST(Overload, SlowBodiesDoNotShutOthersOut) {
  ServerOptions options;
  options.max_connections = 90;
  const auto server = start(options);
  std::vector<RawClient> slow;
  for (int i = 0; i < 90; ++i) {
    slow.emplace_back(server->port());
    slow.back().send(slow_body);
  }
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(served(*server)) << i;
}

TEST(Overload, SlowBodiesOfManyAddressesGiveWay) {
  ServerOptions options;
  options.max_connections = 90;
  options.max_unfinished_per_address = 1000;
  const auto server = start(options);
  std::vector<RawClient> slow;
  for (int i = 0; i < 90; ++i) {
    slow.emplace_back(server->port(), 0, ("127.0.1." + std::to_string(i + 1)).c_str());
    slow.back().send(slow_body);
  }
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished == 90; }));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(served(*server)) << i;
  EXPECT_GT(server->counts().shed_slow, 0U);
}

TEST(Overload, OneAddressLeavesAShareOfTheConnections) {
  ServerOptions options;
  options.max_connections = 40;
  options.write_timeout = 300s;
  const auto server = start(options);
  std::vector<RawClient> busy;
  for (int i = 0; i < 60; ++i) {
    busy.emplace_back(server->port(), 4096, other_address);
    busy.back().send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    // The reply's beginning, or the end: a connection that is not busy yet gives way as an idle one.
    busy.back().read_some();
  }
  ASSERT_TRUE(eventually([&] { return server->counts().shed_address == 24; }));
  RawClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(hello_request));
    ASSERT_EQ(body_of(client.read_reply()), "hello");
  }
  EXPECT_LE(server->counts().connections_open, 37U);
}

TEST(Overload, AnAddressAtItsLimitLosesItsOwnIdleConnections) {
  ServerOptions options;
  options.max_connections_per_address = 5;
  const auto server = start(options);
  RawClient other(server->port(), 0, other_address);
  other.send(hello_request);
  EXPECT_EQ(body_of(other.read_reply()), "hello");
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server->port());
    clients.back().send(hello_request);
    ASSERT_EQ(body_of(clients.back().read_reply()), "hello") << i;
  }
  EXPECT_LE(server->counts().connections_open, 6U);
  other.send(hello_request);
  EXPECT_EQ(body_of(other.read_reply()), "hello") << "not at the cost of others";
}

TEST(Overload, OneAddressHasOnlySoManyHalfRequests) {
  ServerOptions options;
  options.max_unfinished_per_address = 8;
  const auto server = start(options);
  std::vector<RawClient> half;
  for (int i = 0; i < 30; ++i) {
    half.emplace_back(server->port(), 0, other_address);
    half.back().send(i % 2 == 0 ? "GET /hello HTTP/1.1\r\n" : slow_body);
    // One after the other: several I/O threads take them, and the order in which they came decides who gives
    // way.
    const std::size_t shed = i < 8 ? 0 : static_cast<std::size_t>(i) - 7;
    ASSERT_TRUE(eventually([&] {
      const ServerCounts counts = server->counts();
      return counts.unfinished + counts.shed_address == static_cast<std::size_t>(i) + 1 &&
             counts.shed_address == shed;
    })) << i;
  }
  EXPECT_LE(server->counts().unfinished, 8U);
  // Whole requests of the same address are served, and those that began last can be ended: older ones gave
  // way.
  EXPECT_TRUE(served(*server, other_address));
  half[28].send("Host: a\r\n\r\n");
  EXPECT_EQ(body_of(half[28].read_reply()), "hello");
  EXPECT_TRUE(half.front().closes_within(long_time));
}

TEST(Overload, HalfRequestsHaveABoundedMemory) {
  ServerOptions options;
  options.max_unfinished_bytes = 1 << 20;
  options.max_unfinished_per_address = 1000;
  const auto server = start(options);
  std::vector<RawClient> half;
  for (int i = 0; i < 200; ++i) {
    half.emplace_back(server->port());
    half.back().send("GET /hello HTTP/1.1\r\nX: ");
  }
  EXPECT_TRUE(eventually([&] {
    const ServerCounts counts = server->counts();
    return counts.shed_memory + counts.shed_slow > 100;
  }));
  EXPECT_TRUE(eventually([&] { return server->counts().unfinished <= 40; }));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(served(*server)) << i;
}

/// Tests with a server's default limits, and half-sent requests of one address until the server refuses more.
class OneAddress : public ::testing::TestWithParam<bool> {};

TEST_P(OneAddress, LeavesAShareOfTheMemoryByDefault) {
  const bool tls = GetParam();
  ServerOptions options;
  if (tls) {
    const auto made = testing::TestCa().server();
    options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  }
  const auto server = start(options);
  std::vector<RawClient> half;
  // As many as fit into the memory of all, at 36 KB for a head and 72 KiB for a handshake.
  const std::size_t all = options.max_unfinished_bytes / (tls ? 73'728 : 36'864);
  while (half.size() < all) {
    half.emplace_back(server->port(), 0, other_address);
    half.back().send(tls ? std::string("\x16\x03\x01\x02\x00\x01", 6) : "GET /hello HT");
    if (server->counts().shed_address > 0) break;
  }
  EXPECT_TRUE(eventually([&] { return server->counts().shed_address > 0; })) << "all of it is its own";
  // Those of other I/O threads give way a moment later.
  EXPECT_TRUE(eventually([&] { return server->counts().unfinished <= all / 2; }));
}

INSTANTIATE_TEST_SUITE_P(Overload, OneAddress, ::testing::Bool(), [](const auto& info) {
  return info.param ? std::string("WithTls") : std::string("Plain");
});

TEST(Overload, TheAddressThatHoldsMostGivesWayAtOnce) {
  ServerOptions options;
  options.max_unfinished_bytes = 1 << 20;
  options.max_unfinished_per_address = 1000;
  options.header_timeout = 300s;
  const auto server = start(options);
  std::vector<RawClient> half;
  for (int round = 0; round < 5; ++round) {
    // Nothing of this is slow yet: timeouts alone would refuse whoever comes next.
    half.clear();
    ASSERT_TRUE(eventually([&] { return server->counts().unfinished == 0; }));
    const std::uint64_t before = server->counts().shed_memory;
    for (int i = 0; i < 40; ++i) {
      half.emplace_back(server->port(), 0, other_address);
      half.back().send("GET /hello HT");
    }
    // Each of them has been met, so that the memory stays full.
    ASSERT_TRUE(eventually([&] {
      const ServerCounts counts = server->counts();
      return counts.shed_memory > before && counts.shed_memory - before + counts.unfinished == 40;
    }));
    const std::uint64_t full = server->counts().shed_memory;
    RawClient client(server->port());
    client.send("GET /hello HT");
    ASSERT_TRUE(eventually([&] { return server->counts().shed_memory > full; }));
    client.send("TP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_EQ(body_of(client.read_reply()), "hello") << round;
  }
}

/// A request with a body of which the first megabyte is sent, and not the rest.
const std::string half_body =
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n" + std::string(1'000'000, 'x');

/// Returns whether a large body is served. Over one connection, the next body is sent when the last one has
/// been freed.
bool body_served(RawClient& client) {
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" +
              std::string(1'000'000, 'x'));
  return body_of(client.read_reply()).size() == 1'000'000;
}

bool body_served(const Server& server) {
  RawClient client(server.port());
  return body_served(client);
}

TEST(Overload, OneAddressLeavesAShareOfTheMemoryOfBodies) {
  ServerOptions options;
  options.max_bodies_bytes = 4 << 20;
  options.body_timeout = options.rate_window = 300s;
  const auto server = start(options);
  std::vector<RawClient> half;
  for (int i = 0; i < 6; ++i) {
    half.emplace_back(server->port(), 0, other_address);
    half.back().send(half_body);
  }
  // Three fit into its three quarters; where two threads refuse at once, one more than had to be is refused.
  ASSERT_TRUE(eventually([&] {
    const ServerCounts counts = server->counts();
    return counts.refused >= 3 && counts.unfinished == half.size() - counts.refused;
  })) << "it has three quarters";
  RawClient client(server->port());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(body_served(client)) << i;
  EXPECT_EQ(server->counts().shed_slow, 0U);
}

TEST(Overload, HalfBodiesOfManyAddressesGiveWayToWholeOnes) {
  ServerOptions options;
  options.max_bodies_bytes = 4 << 20;
  options.body_timeout = options.rate_window = 300s;
  options.io_threads = 1;
  const auto server = start(options);
  std::vector<RawClient> half;
  const auto add_half = [&] {
    half.emplace_back(server->port(), 0, ("127.0.2." + std::to_string(half.size() % 250 + 1)).c_str());
    half.back().send(half_body);
  };
  for (int i = 0; i < 4; ++i) add_half();
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished == 4; }));
  // A whole body finds room as long as the half ones have not come as far as they will; one of them may be
  // refused for it then, and another has to take its place.
  EXPECT_TRUE(eventually([&] {
    if (server->counts().unfinished < 4) add_half();
    return body_served(*server) && server->counts().shed_slow > 0;
  })) << "those that have come for a second give way";
}

/// Requests of one I/O thread that are slow, each of an address of its own.
class SlowThread {
 public:
  SlowThread(const Server& server, const std::string& half) : server_(server) {
    std::vector<RawClient> others;  // as long as these stand, each thread gets half of the next ones
    for (int i = 0; i < 32; ++i) {
      RawClient client(server.port(), 0, ("127.0.3." + std::to_string(i + 1)).c_str());
      const std::string thread = thread_of(client);
      if (name_.empty()) name_ = thread;
      (thread == name_ ? slow_ : others).push_back(std::move(client));
    }
    for (RawClient& client : slow_) client.send(half);
  }
  std::size_t size() const { return slow_.size(); }
  /// Adds one more, after some tries at the latest.
  void add(const std::string& half) {
    constexpr int tries = 32;
    for (int i = 0; i < tries; ++i) {
      RawClient client(server_.port(), 0, ("127.0.4." + std::to_string(slow_.size() % 250 + 1)).c_str());
      if (thread_of(client) != name_) continue;
      client.send(half);
      slow_.push_back(std::move(client));
      return;
    }
  }
  /// A client that another thread serves.
  RawClient other() const {
    while (true) {
      RawClient client(server_.port());
      if (thread_of(client) != name_) return client;
    }
  }

 private:
  static std::string thread_of(RawClient& client) {
    client.send("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n");
    return body_of(client.read_reply());
  }
  const Server& server_;
  std::string name_;
  std::vector<RawClient> slow_;
};

TEST(Overload, HalfBodiesGiveWayToWholeOnesOfAnotherThread) {
  ServerOptions options;
  options.max_bodies_bytes = 4 << 20;
  options.body_timeout = options.rate_window = 300s;
  options.io_threads = 2;
  const auto server = start(options);
  SlowThread slow(*server, half_body);
  ASSERT_GE(slow.size(), 4U);
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished >= 3; }));
  // A whole body finds room as long as the half ones have not come as far as they will; one of them may be
  // refused for it then, and another has to take its place.
  EXPECT_TRUE(eventually([&] {
    if (server->counts().unfinished < 4) slow.add(half_body);
    RawClient client = slow.other();
    return body_served(client) && server->counts().shed_slow > 0;
  })) << "those that have come for a second give way";
}

TEST(Overload, HalfHeadsGiveWayToThoseOfAnotherThread) {
  ServerOptions options;
  options.header_timeout = 300s;
  options.max_unfinished_bytes = 360'000;
  options.io_threads = 2;
  const auto server = start(options);
  const std::string half = "GET /hello HTTP/1.1\r\nX: ";
  const SlowThread slow(*server, half);
  ASSERT_GE(slow.size(), 10U);
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished >= 8; }));
  EXPECT_TRUE(eventually([&] {
    RawClient client = slow.other();
    client.send(half);
    if (client.read_some(100ms)) return false;  // refused
    client.send("y\r\nHost: a\r\n\r\n");
    return body_of(client.read_reply()) == "hello" && server->counts().shed_slow > 0;
  }));
}

TEST(Overload, ABodyMustComeAtALeastRate) {
  ServerOptions options;
  options.min_body_rate = 10'000;
  options.rate_window = 300ms;
  const auto server = start(options);
  RawClient slow(server->port());
  const auto begun = std::chrono::steady_clock::now();
  slow.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
  std::jthread dribble([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && slow.send("x")) std::this_thread::sleep_for(10ms);
  });
  EXPECT_EQ(status_of(slow.read_reply()), 408);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, long_time);
  dribble.request_stop();
  dribble.join();
  EXPECT_EQ(server->counts().shed_slow, 1U);
  // Longer than one window, and fast enough.
  options.rate_window = 1500ms;
  const auto patient = start(options);
  RawClient steady(patient->port());
  steady.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    steady.send(std::string(50'000, 'x'));
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_EQ(body_of(steady.read_reply()).size(), 1'000'000U);
}

TEST(Overload, AReplyMustBeReadAtALeastRate) {
  for (const char* path : {"/large", "/endless"}) {
    SCOPED_TRACE(path);
    ServerOptions options;
    options.min_reply_rate = 10'000'000;
    options.rate_window = options.stream_timeout = 300ms;
    const auto server = start(options);
    RawClient slow(server->port(), 4096);
    slow.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(slow.read_some());
    std::jthread dribble([&](const std::stop_token& stop) {
      char byte = 0;
      while (!stop.stop_requested() && ::recv(slow.fd(), &byte, 1, 0) > 0) std::this_thread::sleep_for(5ms);
    });
    EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
    EXPECT_EQ(server->counts().shed_slow, 1U);
  }
}

}  // namespace
}  // namespace fairway::http
