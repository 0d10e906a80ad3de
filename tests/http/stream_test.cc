// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "http/client.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

SteadyTime soon() {
  return std::chrono::steady_clock::now() + 20s;
}

/// A server whose "/watch" hands each new stream to the test.
class Streams : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start(std::size_t capacity = 1 << 20, ServerOptions options = {}) {
    Router router;
    router.immediate("/watch", "GET HEAD", [this, capacity](const Request&) {
      Response response;
      response.headers.add("Content-Type", "application/json");
      response.stream = Stream::make(capacity);
      const std::scoped_lock lock(mutex);
      streams.push_back(response.stream);
      arrived.notify_all();
      return response;
    });
    router.immediate("/hello", "GET", [](const Request&) { return Response::text(200, "hello"); });
    options.listen = "127.0.0.1:0";
    options.io_threads = 2;
    return Server::start(options, router).value();
  }
  std::shared_ptr<Stream> next_stream() {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(arrived.wait_for(lock, 20s, [&] { return !streams.empty(); }));
    auto stream = streams.front();
    streams.erase(streams.begin());
    return stream;
  }
  static bool wait_for_cancel(const Stream& stream) {
    std::mutex waiting;
    std::condition_variable_any never;
    std::unique_lock lock(waiting);
    return never.wait_until(lock, stream.cancelled(), soon(),
                            [&] { return stream.cancelled().stop_requested(); });
  }

  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::shared_ptr<Stream>> streams;
};

const std::string watch = "GET /watch HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(Streams, SendEachPieceAsItComes) {
  const auto server = start();
  RawClient client(server->port());
  client.send(watch + "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto stream = next_stream();
  for (int i = 0; i < 50; ++i) {
    const std::string piece = "piece " + std::to_string(i) + "\n";
    ASSERT_TRUE(stream->try_push(make_bytes(piece)));
    while (client.pending().find(piece) == std::string::npos) ASSERT_TRUE(client.read_some());
  }
  stream->close();
  const std::string reply = client.read_reply();
  EXPECT_TRUE(has_line(reply, "Transfer-Encoding: chunked"));
  EXPECT_NE(reply.find("8\r\npiece 0\n\r\n"), std::string::npos);
  EXPECT_TRUE(reply.ends_with("9\r\npiece 49\n\r\n0\r\n\r\n")) << reply;
  // The connection goes on with the request that waited behind the stream.
  EXPECT_EQ(body_of(client.read_reply()), "hello");
  EXPECT_FALSE(stream->try_push(make_bytes("late")));
}

TEST_F(Streams, ReachTheClientWhole) {
  const auto server = start(64 * 1024);
  std::jthread producer([this] {
    const auto stream = next_stream();
    for (int i = 0; i < 20'000; ++i) {
      if (!stream->push(make_bytes("line " + std::to_string(i) + "\n"), soon())) return;
    }
    stream->close();
  });
  const auto client = Client::create({.proxy_environment = false}).value();
  Call call;
  call.url = Url::parse("http://" + server->address() + "/watch").value();
  call.limits.deadline = soon();
  std::string expected;
  for (int i = 0; i < 20'000; ++i) expected += "line " + std::to_string(i) + "\n";
  const auto reply = client->send(call);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->body == expected);
}

TEST_F(Streams, HoldNoMoreThanTheirCapacityForASlowReader) {
  const auto server = start(10'000);
  RawClient client(server->port(), 4096);
  client.send(watch);
  const auto stream = next_stream();
  const Bytes piece = make_bytes(std::string(1000, 'x'));
  std::size_t pushed = 0;
  // The kernel's buffers fill first, then the queue; then nothing more is taken.
  const auto full = [&] { return stream->push(piece, std::chrono::steady_clock::now() + 300ms); };
  Result<void> result;
  while ((result = full())) ++pushed;
  EXPECT_EQ(result.error().code, ErrorCode::deadline_exceeded);
  EXPECT_FALSE(stream->try_push(piece));
  EXPECT_LT(pushed, 20'000U);
  std::jthread reader([&] {
    while (client.read_some()) {
    }
  });
  EXPECT_TRUE(stream->push(piece, soon()));
  stream->close();
  client.finish_sending();
}

TEST_F(Streams, TakeOnePieceOfAnySizeWhenNothingWaits) {
  const auto server = start(10);
  RawClient client(server->port());
  client.send(watch);
  const auto stream = next_stream();
  EXPECT_TRUE(stream->try_push(make_bytes(std::string(100'000, 'x'))));
  stream->close();
  EXPECT_NE(client.read_reply().find(std::string(100'000, 'x')), std::string::npos);
}

TEST_F(Streams, TellTheProducerThatTheClientIsGone) {
  const auto server = start(10'000);
  RawClient closes(server->port());
  closes.send(watch);
  const auto first = next_stream();
  closes = RawClient(server->port());
  EXPECT_TRUE(wait_for_cancel(*first));
  EXPECT_FALSE(first->try_push(make_bytes("x")));
  EXPECT_EQ(first->push(make_bytes("x"), soon()).error().code, ErrorCode::cancelled);

  RawClient resets(server->port(), 4096);
  resets.send(watch);
  const auto second = next_stream();
  std::jthread producer([&] {
    while (second->push(make_bytes(std::string(1000, 'x')), soon())) {
    }
  });
  resets.reset();
  EXPECT_TRUE(wait_for_cancel(*second));
}

TEST_F(Streams, SayWhenTheyHaveRoom) {
  const auto server = start(100'000);
  RawClient client(server->port(), 4096);
  client.send(watch);
  const auto stream = next_stream();
  EXPECT_TRUE(stream->has_room());
  int calls = 0;
  stream->on_room([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  // One of any size is taken while half of the queue is empty; then none, until the client has read.
  std::atomic<bool> had_room = false;
  while (stream->try_push(make_bytes(std::string(1 << 20, 'x')))) {
  }
  EXPECT_FALSE(stream->has_room());
  stream->on_room([&] { had_room = true; });
  EXPECT_FALSE(had_room);
  const auto deadline = soon();
  while (!had_room && std::chrono::steady_clock::now() < deadline) client.read_some(10ms);
  EXPECT_TRUE(had_room);
  // The end is one, too.
  while (stream->try_push(make_bytes(std::string(1 << 20, 'x')))) {
  }
  std::atomic<bool> ended = false;
  stream->on_room([&] { ended = true; });
  client = RawClient(server->port());
  EXPECT_TRUE(wait_for_cancel(*stream));
  while (!ended) std::this_thread::yield();
}

TEST_F(Streams, CutTheReplyWhenTheProducerGivesUp) {
  const auto server = start();
  for (const bool explicitly : {true, false}) {
    RawClient client(server->port());
    client.send(watch);
    auto stream = next_stream();
    stream->try_push(make_bytes("half"));
    if (explicitly) stream->close(true);
    stream.reset();
    const std::string reply = client.read_to_end();
    EXPECT_NE(reply.find("4\r\nhalf\r\n"), std::string::npos) << reply;
    EXPECT_EQ(reply.find("0\r\n\r\n"), std::string::npos) << reply;
  }
}

TEST_F(Streams, AreDelimitedByTheEndForHttp10AndLeftOutForHead) {
  const auto server = start();
  RawClient old(server->port());
  old.send("GET /watch HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto stream = next_stream();
  stream->try_push(make_bytes("one"));
  stream->try_push(make_bytes("two"));
  stream->close();
  const std::string reply = old.read_to_end();
  EXPECT_TRUE(reply.ends_with("\r\n\r\nonetwo")) << reply;
  EXPECT_TRUE(has_line(reply, "Connection: close"));

  RawClient head(server->port());
  head.send("HEAD /watch HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_of(head.read_reply(true)), 200);
  EXPECT_TRUE(wait_for_cancel(*next_stream()));
  EXPECT_EQ(body_of(head.read_reply()), "hello");
}

TEST_F(Streams, CutOffAClientThatStopsReading) {
  ServerOptions options;
  options.rate_window = options.stream_timeout = 300ms;
  const auto server = start(1 << 20, options);
  RawClient client(server->port(), 4096);
  client.send(watch);
  const auto stream = next_stream();
  while (stream->push(make_bytes(std::string(100'000, 'x')), soon())) {
  }
  EXPECT_TRUE(stream->cancelled().stop_requested());
}

TEST_F(Streams, StayOpenWhileNothingIsSaid) {
  ServerOptions options;
  options.write_timeout = options.idle_timeout = options.header_timeout = 100ms;
  const auto server = start(1 << 20, options);
  RawClient client(server->port());
  client.send(watch);
  const auto stream = next_stream();
  EXPECT_FALSE(client.closes_within(500ms));
  EXPECT_TRUE(stream->try_push(make_bytes("still here")));
  while (client.pending().find("still here") == std::string::npos) ASSERT_TRUE(client.read_some());
}

TEST_F(Streams, GoOutToThousandsOfClients) {
  const auto server = start();
  constexpr int count = 2000;
  std::vector<RawClient> clients;
  for (int i = 0; i < count; ++i) {
    clients.emplace_back(server->port());
    ASSERT_TRUE(clients.back().connected());
    clients.back().send(watch);
  }
  std::vector<std::shared_ptr<Stream>> all;
  for (int i = 0; i < count; ++i) all.push_back(next_stream());
  for (int round = 0; round < 5; ++round) {
    const Bytes event = make_bytes("event " + std::to_string(round));
    for (const auto& stream : all) ASSERT_TRUE(stream->try_push(event));
    for (RawClient& client : clients) {
      while (client.pending().find(*event) == std::string::npos) ASSERT_TRUE(client.read_some());
    }
  }
  EXPECT_EQ(server->counts().connections_open, static_cast<std::uint64_t>(count));
}

TEST_F(Streams, EndWhenTheServerDrains) {
  const auto server = start();
  RawClient client(server->port());
  client.send(watch);
  const auto stream = next_stream();
  std::jthread producer([&] {
    EXPECT_TRUE(wait_for_cancel(*stream));
    stream->try_push(make_bytes("goodbye"));
    stream->close();
  });
  std::jthread drainer([&] { server->drain(20s); });
  EXPECT_TRUE(client.read_to_end().ends_with("7\r\ngoodbye\r\n0\r\n\r\n"));
}

TEST_F(Streams, OutliveTheServer) {
  auto server = start();
  RawClient client(server->port());
  client.send(watch);
  const auto stream = next_stream();
  server.reset();
  EXPECT_TRUE(stream->cancelled().stop_requested());
  EXPECT_FALSE(stream->try_push(make_bytes("x")));
}

}  // namespace
}  // namespace fairway::http
