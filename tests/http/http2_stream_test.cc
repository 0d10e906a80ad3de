// SPDX-License-Identifier: Apache-2.0

// Streamed replies over HTTP/2: many on one connection, and one that is not read.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/hello_server.h"
#include "http/http2_client.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

/// A server whose "/watch" hands each new stream to the test.
class Http2Streams : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start(ServerOptions options = {}) {
    Router router = hello_routes(200'000);
    router.immediate("/watch", "GET HEAD", [this](const Request&) {
      Response response;
      response.stream = Stream::make(1 << 20);
      const std::scoped_lock lock(mutex);
      streams.push_back(response.stream);
      return response;
    });
    router.blocking("/slow", "GET", [this](const Request& request) {
      std::unique_lock lock(mutex);
      ++running;
      most_running = std::max(most_running, running);
      changed.wait(lock, request.cancelled, [this] { return released; });
      --running;
      if (request.cancelled.stop_requested()) ++cancelled;
      return Response::text(200, "slow");
    });
    options.http2 = Http2::prior_knowledge;
    return start_hello_server(options, std::move(router));
  }
  std::shared_ptr<Stream> next_stream() {
    EXPECT_TRUE(eventually([this] {
      const std::scoped_lock lock(mutex);
      return !streams.empty();
    }));
    const std::scoped_lock lock(mutex);
    auto stream = streams.front();
    streams.erase(streams.begin());
    return stream;
  }
  void release() {
    const std::scoped_lock lock(mutex);
    released = true;
    changed.notify_all();
  }
  int count(const int& value) {
    const std::scoped_lock lock(mutex);
    return value;
  }

  std::mutex mutex;
  std::condition_variable_any changed;
  std::vector<std::shared_ptr<Stream>> streams;
  int running = 0, most_running = 0, cancelled = 0;
  bool released = false;
};

TEST_F(Http2Streams, ManyWatchesShareAConnection) {
  const auto server = start();
  Http2Client client(server->port());
  std::vector<std::pair<std::uint32_t, std::shared_ptr<Stream>>> watches;
  for (int i = 0; i < 200; ++i) {
    const auto id = client.get("/watch");
    watches.emplace_back(id, next_stream());
  }
  EXPECT_EQ(server->counts().streams_open, 200U);
  EXPECT_EQ(server->counts().connections_open, 1U);
  const Bytes event = make_bytes("event\n");
  for (int round = 1; round <= 3; ++round) {
    for (const auto& [id, stream] : watches) ASSERT_TRUE(stream->try_push(event));
    for (const auto& [id, stream] : watches)
      EXPECT_EQ(client.read_body(id, static_cast<std::size_t>(round) * 6).size(), round * 6U);
  }
  for (const auto& [id, stream] : watches) stream->close();
  for (const auto& [id, stream] : watches) EXPECT_TRUE(client.read_reply(id).whole);
  EXPECT_TRUE(eventually([&] { return server->counts().streams_open == 0; }));
}

TEST_F(Http2Streams, AStreamThatIsNotReadStallsNoOther) {
  const auto server = start();
  // The window of the connection is wide, that of a stream is small.
  Http2Client client(server->port(), setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1000));
  client.widen(0, 1 << 20);
  client.opens_windows = false;
  const auto stuck = client.get("/watch");
  const auto stuck_stream = next_stream();
  const auto lively = client.get("/watch");
  const auto lively_stream = next_stream();
  ASSERT_TRUE(stuck_stream->try_push(make_bytes(std::string(100'000, 's'))));
  EXPECT_EQ(client.read_body(stuck, 1000).size(), 1000U);
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(lively_stream->try_push(make_bytes("0123456789")));
    ASSERT_EQ(client.read_body(lively, static_cast<std::size_t>(i) * 10).size(), i * 10U);
  }
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
  // It goes on from where it was.
  client.widen(stuck, 99'000);
  EXPECT_EQ(client.read_body(stuck, 100'000), std::string(100'000, 's'));
  EXPECT_GT(server->counts().requests, 2U);
}

TEST_F(Http2Streams, AStreamThatIsNotReadIsResetInTime) {
  ServerOptions options;
  options.stream_timeout = 300ms;
  options.write_timeout = 300ms;
  options.rate_window = 100ms;
  const auto server = start(options);
  Http2Client client(server->port(), setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1000));
  client.widen(0, 1 << 20);
  client.opens_windows = false;
  const auto watch = client.get("/watch");
  const auto stream = next_stream();
  ASSERT_TRUE(stream->try_push(make_bytes(std::string(100'000, 's'))));
  const auto whole = client.get("/large");
  EXPECT_EQ(client.read_reply(whole).reset, NGHTTP2_CANCEL);
  EXPECT_EQ(client.read_reply(watch).reset, NGHTTP2_CANCEL);
  EXPECT_TRUE(stream->cancelled().stop_requested());
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
  EXPECT_EQ(server->counts().shed_slow, 2U);
}

TEST_F(Http2Streams, AConnectionThatIsNotReadIsClosedInTime) {
  ServerOptions options;
  options.stream_timeout = 300ms;
  options.write_timeout = 300ms;
  options.rate_window = 100ms;
  const auto server = start(options);
  // Streams may send as much as they like, the connection may not.
  Http2Client client(server->port(), setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1 << 20));
  client.opens_windows = false;
  client.get("/large");
  EXPECT_TRUE(client.raw().closes_within(10s));
  EXPECT_TRUE(eventually([&] { return server->counts().connections_open == 0; }));
  EXPECT_EQ(server->counts().unread_bytes, 0U);
}

TEST_F(Http2Streams, AResetEndsTheProducerAndTheHandler) {
  const auto server = start();
  Http2Client client(server->port());
  const auto watch = client.get("/watch");
  const auto stream = next_stream();
  const auto slow = client.get("/slow");
  ASSERT_TRUE(eventually([&] { return count(running) == 1; }));
  client.reset(watch);
  client.reset(slow);
  EXPECT_TRUE(eventually([&] { return stream->cancelled().stop_requested() && count(cancelled) == 1; }));
  EXPECT_FALSE(stream->try_push(make_bytes("late")));
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
  EXPECT_TRUE(eventually([&] { return server->counts().streams_open == 0; }));
}

TEST_F(Http2Streams, ABrokenStreamIsNoWholeReply) {
  const auto server = start();
  Http2Client client(server->port());
  const auto watch = client.get("/watch");
  const auto stream = next_stream();
  ASSERT_TRUE(stream->try_push(make_bytes("half")));
  stream->close(true);
  const auto reply = client.read_reply(watch);
  EXPECT_EQ(reply.body, "half");
  EXPECT_FALSE(reply.whole);
  EXPECT_EQ(reply.reset, NGHTTP2_INTERNAL_ERROR);
}

TEST_F(Http2Streams, DrainingAnswersWhatHasComeAndSaysSo) {
  const auto server = start();
  Http2Client client(server->port()), idle(server->port());
  ASSERT_TRUE(idle.ping());
  const auto slow = client.get("/slow");
  const auto watch = client.get("/watch");
  const auto stream = next_stream();
  ASSERT_TRUE(eventually([&] { return count(running) == 1; }));
  std::jthread drain([&] { server->drain(20s); });
  EXPECT_EQ(client.read_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_EQ(idle.read_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(idle.raw().closes_within(10s));
  EXPECT_TRUE(eventually([&] { return stream->cancelled().stop_requested(); }));
  ASSERT_TRUE(stream->try_push(make_bytes("last")));
  stream->close();
  EXPECT_EQ(client.read_reply(watch).body, "last");
  release();
  EXPECT_EQ(client.read_reply(slow).body, "slow");
  EXPECT_TRUE(client.raw().closes_within(10s));
}

TEST_F(Http2Streams, AServerThatRetiresAnswersOnceMore) {
  const auto server = start();
  Http2Client client(server->port());
  ASSERT_TRUE(client.ping());
  std::jthread drain([&] { server->drain(20s, 20s); });
  // It is not known when the other thread has begun; before that replies come without a notice.
  for (bool noticed = false; !noticed;) {
    const auto id = client.get("/hello");
    const auto reply = client.read_reply(id);
    ASSERT_EQ(reply.body, "hello");
    noticed = client.raw().closes_within(10ms);
  }
  EXPECT_EQ(client.read_goaway(), NGHTTP2_NO_ERROR);
  client.raw().finish_sending();
}

TEST_F(Http2Streams, StoppingCutsEverything) {
  auto server = start();
  Http2Client client(server->port());
  client.get("/slow");
  client.get("/watch");
  const auto stream = next_stream();
  ASSERT_TRUE(eventually([&] { return count(running) == 1; }));
  server.reset();
  EXPECT_TRUE(stream->cancelled().stop_requested());
  EXPECT_EQ(cancelled, 1);
  EXPECT_TRUE(client.raw().closes_within(10s));
}

}  // namespace
}  // namespace fairway::http
