// SPDX-License-Identifier: Apache-2.0

// Blocking handlers, and how a server ends.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <thread>

#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

/// Handlers that wait in it until the test lets them go.
class Gate {
 public:
  void pass(const std::stop_token& cancelled = {}) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, cancelled, [this] { return open_; });
    --waiting_;
    changed_.notify_all();
  }
  bool wait_for(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return waiting_ == count; });
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int waiting_ = 0;
  bool open_ = false;
};

class Blocking : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start(ServerOptions options = {}) {
    Router router;
    router.blocking("/wait", "GET POST", [this](const Request& request) {
      gate.pass(request.cancelled);
      stopped = request.cancelled.stop_requested();
      return Response::text(200, std::string(request.body) + "done");
    });
    router.blocking("/stubborn", "GET", [this](const Request&) {
      gate.pass();
      return Response::text(200, "done");
    });
    router.blocking("/length", "POST", [this](const Request& request) {
      gate.pass();
      return Response::text(200, std::to_string(request.body.size()));
    });
    router.immediate("/hello", "GET", [](const Request&) { return Response::text(200, "hello"); });
    options.listen = "127.0.0.1:0";
    options.io_threads = 1;
    return Server::start(options, router).value();
  }
  ~Blocking() override { gate.open(); }

  Gate gate;
  std::atomic<bool> stopped = false;
};

const std::string wait_request = "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string stubborn_request = "GET /stubborn HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string hello_request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(Blocking, HandlersDoNotHoldUpOthers) {
  const auto server = start();
  RawClient slow(server->port());
  slow.send("POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody" + hello_request);
  ASSERT_TRUE(gate.wait_for(1));
  RawClient quick(server->port());
  quick.send(hello_request);
  EXPECT_EQ(body_of(quick.read_reply()), "hello");
  gate.open();
  EXPECT_EQ(body_of(slow.read_reply()), "bodydone");
  EXPECT_EQ(body_of(slow.read_reply()), "hello");
}

TEST_F(Blocking, RequestsBeyondTheQueueGet503) {
  ServerOptions options;
  options.blocking_threads = 1;
  options.blocking_queue = 2;
  const auto server = start(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server->port());
    clients.back().send(stubborn_request);
    ASSERT_TRUE(i > 0 || gate.wait_for(1));
  }
  RawClient last(server->port());
  std::string reply;
  // The two before it may still be on their way.
  do {
    last.send(hello_request);
    last.read_reply();
    last.send(stubborn_request);
    if (last.read_some(100ms)) reply = last.read_reply();
  } while (reply.empty() && last.connected());
  EXPECT_EQ(status_of(reply), 503);
  EXPECT_TRUE(has_line(reply, "Retry-After: 1"));
  gate.open();
  for (RawClient& client : clients) EXPECT_EQ(body_of(client.read_reply()), "done");
  last.send(hello_request);
  EXPECT_EQ(body_of(last.read_reply()), "hello");
}

TEST_F(Blocking, BodiesTakeNoMoreThanTheirLimitTogether) {
  ServerOptions options;
  options.max_bodies_bytes = 300'000;
  const auto server = start(options);
  const std::string body(160'000, 'b');
  const std::string large =
      "POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const std::string chunked =
      "POST /wait HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n27100\r\n" + body +
      "\r\n0\r\n\r\n";
  RawClient first(server->port());
  first.send(large);
  ASSERT_TRUE(gate.wait_for(1));
  for (const std::string& request : {large, chunked}) {
    RawClient second(server->port());
    second.send(request);
    const std::string reply = second.read_reply();
    EXPECT_EQ(status_of(reply), 503);
    EXPECT_TRUE(has_line(reply, "Retry-After: 1"));
    EXPECT_TRUE(has_line(reply, "Connection: close"));
  }
  // Short ones go on, and nothing is kept of what nobody handles.
  RawClient others(server->port());
  others.send("POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nshort");
  ASSERT_TRUE(gate.wait_for(2));
  RawClient nowhere(server->port());
  nowhere.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 160000\r\n\r\n" + body);
  EXPECT_EQ(status_of(nowhere.read_reply()), 404);
  gate.open();
  EXPECT_EQ(body_of(others.read_reply()), "shortdone");
  EXPECT_EQ(body_of(first.read_reply()), body + "done");
  for (const std::string& request : {large, chunked, large}) {
    first.send(request);
    EXPECT_EQ(body_of(first.read_reply()), body + "done");
  }
}

TEST_F(Blocking, BodiesAreForgottenWithTheirRequests) {
  ServerOptions options;
  options.blocking_threads = 20;
  const auto server = start(options);
  const std::string large =
      "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'b');
  const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server->port());
    ASSERT_TRUE(clients.back().send(large));
  }
  ASSERT_TRUE(gate.wait_for(20));
  gate.open();
  for (RawClient& client : clients) ASSERT_EQ(body_of(client.read_reply()), "1000000");
  // Every connection stands, and has done with its request.
  for (RawClient& client : clients) {
    client.send(hello_request);
    ASSERT_EQ(body_of(client.read_reply()), "hello");
  }
  EXPECT_LT(in_use(), before + 5'000'000);
}

TEST_F(Blocking, HandlersHearWhenTheClientIsGone) {
  const auto server = start();
  RawClient client(server->port());
  client.send(wait_request);
  ASSERT_TRUE(gate.wait_for(1));
  client.reset();
  ASSERT_TRUE(gate.wait_for(0));
  RawClient other(server->port());
  other.send(hello_request);
  EXPECT_EQ(body_of(other.read_reply()), "hello");
}

TEST_F(Blocking, AClientThatOnlyStoppedSendingStillGetsItsReply) {
  const auto server = start();
  RawClient client(server->port());
  client.send(stubborn_request);
  ASSERT_TRUE(gate.wait_for(1));
  client.finish_sending();
  gate.open();
  EXPECT_TRUE(client.read_to_end().ends_with("done"));
}

TEST_F(Blocking, DrainFinishesWhatIsUnderWay) {
  const auto server = start();
  RawClient busy(server->port());
  busy.send(stubborn_request);
  ASSERT_TRUE(gate.wait_for(1));
  RawClient idle(server->port());
  idle.send(hello_request);
  EXPECT_EQ(body_of(idle.read_reply()), "hello");
  std::jthread drainer([&] { server->drain(20s); });
  EXPECT_TRUE(idle.closes_within(10s));
  // Nobody listens any more, once each of the server's threads has heard of it.
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (RawClient(server->port()).connected() && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_FALSE(RawClient(server->port()).connected());
  EXPECT_FALSE(busy.read_some(0ms));
  gate.open();
  const std::string reply = busy.read_to_end();
  EXPECT_TRUE(has_line(reply, "Connection: close"));
  EXPECT_EQ(body_of(reply), "done");
  drainer.join();
  EXPECT_EQ(server->counts().connections_open, 0U);
}

TEST_F(Blocking, DrainLetsIdleConnectionsBringOneMoreRequestWhereTheyAreGivenTime) {
  const auto server = start();
  RawClient used(server->port());
  used.send(hello_request);
  EXPECT_EQ(body_of(used.read_reply()), "hello");
  RawClient other(server->port());
  other.send(hello_request);
  EXPECT_EQ(body_of(other.read_reply()), "hello");
  std::jthread drainer([&] { server->drain(20s, 60s); });
  for (RawClient* client : {&used, &other}) {
    std::string reply;
    // The first ones may come before the server ends.
    do {
      client->send(hello_request);
      reply = client->read_reply();
      ASSERT_EQ(body_of(reply), "hello");
    } while (!has_line(reply, "Connection: close"));
    EXPECT_TRUE(client->closes_within(10s));
  }
  // Nobody is waited for any more.
  const auto begun = std::chrono::steady_clock::now();
  drainer.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 30s);
}

TEST_F(Blocking, DrainClosesIdleConnectionsWhenTheirTimeIsOver) {
  const auto server = start();
  RawClient idle(server->port());
  idle.send(hello_request);
  EXPECT_EQ(body_of(idle.read_reply()), "hello");
  server->drain(20s, 50ms);
  EXPECT_TRUE(idle.closes_within(10s));
  EXPECT_EQ(server->counts().connections_open, 0U);
}

TEST_F(Blocking, DrainEndsAtItsLimit) {
  auto server = start();
  RawClient busy(server->port());
  busy.send(wait_request);
  ASSERT_TRUE(gate.wait_for(1));
  RawClient half(server->port());
  half.send("GET /hello HTTP/1.1\r\n");
  server->drain(100ms);
  EXPECT_TRUE(busy.closes_within(10s));
  EXPECT_TRUE(half.closes_within(10s));
  server.reset();
  EXPECT_TRUE(stopped);
}

TEST_F(Blocking, TheServerEndsWhileHandlersRun) {
  auto server = start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server->port());
    clients.back().send(wait_request);
  }
  ASSERT_TRUE(gate.wait_for(8));
  server.reset();
  EXPECT_TRUE(clients.front().closes_within(10s));
}

TEST_F(Blocking, HandlersSeeTheDeadline) {
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.request_timeout = 1234ms;
  std::atomic<std::int64_t> left = 0;
  Router router;
  router.blocking("/", "GET", [&](const Request& request) {
    left = std::chrono::duration_cast<std::chrono::milliseconds>(request.deadline -
                                                                 std::chrono::steady_clock::now())
               .count();
    return Response::text(200, "");
  });
  const auto server = Server::start(options, router).value();
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_of(client.read_reply()), 200);
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 1234);
}

}  // namespace
}  // namespace fairway::http
