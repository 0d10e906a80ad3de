// SPDX-License-Identifier: Apache-2.0

// Clients that attack by means that only HTTP/2 has: each ends with the right error code, and costs little.
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "http/hello_server.h"
#include "http/http2_client.h"
#include "http/internal/http2/frame_scanner.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

class Http2Hostile : public ::testing::Test {
 protected:
  Server* start(const ServerOptions& options = {}) {
    Router router = hello_routes(100'000);
    router.blocking("/slow", "GET", [this](const Request& request) {
      std::unique_lock lock(mutex);
      ++begun;
      changed.wait(lock, [this] { return released; });
      return Response::text(200, request.cancelled.stop_requested() ? "cancelled" : "slow");
    });
    return start(options, std::move(router));
  }
  /// Starts a server that ends before what its handlers use does, and after these have been let go.
  Server* start(ServerOptions options, Router router) {
    options.http2 = Http2::prior_knowledge;
    started = start_hello_server(options, std::move(router));
    return started.get();
  }
  void TearDown() override {
    release();
    started.reset();
  }
  void release() {
    const std::scoped_lock lock(mutex);
    released = true;
    changed.notify_all();
  }
  int handled() {
    const std::scoped_lock lock(mutex);
    return begun;
  }

  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  bool released = false;
  std::unique_ptr<Server> started;
};

struct Flood {
  std::string name;
  std::uint32_t code;
  std::function<void(Http2Client&)> attack;
};

/// Repeats frames until the server no longer takes them.
std::function<void(Http2Client&)> repeat(int times, const Frame& frame) {
  return [times, frame](Http2Client& client) {
    std::string many;
    for (int i = 0; i < times; ++i) many += frame_bytes(frame);
    client.raw().send(many);
  };
}

/// A head whose one-byte references stand for `times` fields of 4,000 bytes.
Frame bomb(int times) {
  std::string block = request_block("GET", "/hello");
  block += hpack_field("x", std::string(4000, 'x'), true);
  block += std::string(static_cast<std::size_t>(times), '\xbe');
  return {.type = NGHTTP2_HEADERS, .flags = 5, .stream = 1, .payload = block};
}

TEST_F(Http2Hostile, FloodsEndWithTheirErrorCodes) {
  Server* const server = start();
  const std::vector<Flood> floods = {
      {"pings", NGHTTP2_ENHANCE_YOUR_CALM, repeat(20'000, {.type = NGHTTP2_PING, .payload = "12345678"})},
      {"settings", NGHTTP2_ENHANCE_YOUR_CALM,
       repeat(20'000,
              {.type = NGHTTP2_SETTINGS, .payload = setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 100)})},
      {"acknowledgements of settings that nobody sent", NGHTTP2_PROTOCOL_ERROR,
       repeat(3, {.type = NGHTTP2_SETTINGS, .flags = 1})},
      {"too many settings in a frame", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         std::string many;
         for (int i = 0; i < 1000; ++i) many += setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 100);
         client.send({.type = NGHTTP2_SETTINGS, .payload = many});
       }},
      {"resets", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         std::string many;
         for (std::uint32_t id = 1; id < 2000; id += 2) {
           many += frame_bytes(
               {.type = NGHTTP2_HEADERS, .flags = 5, .stream = id, .payload = request_block("GET", "/slow")});
           many +=
               frame_bytes({.type = NGHTTP2_RST_STREAM, .stream = id, .payload = number32(NGHTTP2_CANCEL)});
         }
         client.raw().send(many);
       }},
      {"priorities", NGHTTP2_ENHANCE_YOUR_CALM,
       repeat(20'000, {.type = NGHTTP2_PRIORITY, .stream = 1, .payload = std::string(5, '\0')})},
      {"window updates", NGHTTP2_ENHANCE_YOUR_CALM,
       repeat(20'000, {.type = NGHTTP2_WINDOW_UPDATE, .payload = number32(1)})},
      {"frames of unknown types", NGHTTP2_ENHANCE_YOUR_CALM, repeat(20'000, {.type = 0x77})},
      {"empty data", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         const auto id = client.request("POST", "/echo", {}, false);
         repeat(20'000, {.type = NGHTTP2_DATA, .stream = id})(client);
       }},
      {"bodies that are shorter than announced", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         std::string many;
         for (std::uint32_t id = 1; id < 6000; id += 2) {
           many += frame_bytes({.type = NGHTTP2_HEADERS,
                                .flags = 4,
                                .stream = id,
                                .payload = request_block("POST", "/echo", {{"content-length", "5"}})});
           many += frame_bytes({.type = NGHTTP2_DATA, .flags = 1, .stream = id, .payload = "x"});
         }
         client.raw().send(many);
       }},
      {"heads that are wrong", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         std::string many;
         for (std::uint32_t id = 1; id < 2000; id += 2) {
           many += frame_bytes({.type = NGHTTP2_HEADERS,
                                .flags = 5,
                                .stream = id,
                                .payload = request_block("GET", "/hello", {{"Upper", "case"}})});
         }
         client.raw().send(many);
       }},
      {"streams beyond the limit", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         std::string many;
         for (std::uint32_t id = 1; id < 8000; id += 2) {
           many += frame_bytes({.type = NGHTTP2_HEADERS,
                                .flags = 4,
                                .stream = id,
                                .payload = request_block("POST", "/echo")});
         }
         client.raw().send(many);
       }},
      {"a head that does not end", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         client.send(
             {.type = NGHTTP2_HEADERS, .flags = 1, .stream = 1, .payload = request_block("GET", "/hello")});
         repeat(1000, {.type = NGHTTP2_CONTINUATION, .stream = 1, .payload = hpack_field("x", "1")})(client);
       }},
      {"empty pieces of a head", NGHTTP2_ENHANCE_YOUR_CALM,
       [](Http2Client& client) {
         client.send(
             {.type = NGHTTP2_HEADERS, .flags = 1, .stream = 1, .payload = request_block("GET", "/hello")});
         repeat(1000, {.type = NGHTTP2_CONTINUATION, .stream = 1})(client);
       }},
      {"a bomb of HPACK", NGHTTP2_ENHANCE_YOUR_CALM, [](Http2Client& client) { client.send(bomb(10'000)); }},
      {"HPACK that is wrong", NGHTTP2_COMPRESSION_ERROR,
       repeat(1, {.type = NGHTTP2_HEADERS, .flags = 5, .stream = 1, .payload = "\xff\xff\xff\xff\xff\xff"})},
      {"a window that overflows", NGHTTP2_FLOW_CONTROL_ERROR,
       repeat(2, {.type = NGHTTP2_WINDOW_UPDATE, .payload = number32(0x7fffffff)})},
      {"a frame that is too long", NGHTTP2_FRAME_SIZE_ERROR,
       repeat(1, {.type = NGHTTP2_HEADERS, .flags = 5, .stream = 1, .payload = std::string(70'000, 'x')})},
      {"data for no stream", NGHTTP2_PROTOCOL_ERROR, repeat(1, {.type = NGHTTP2_DATA, .payload = "x"})},
      {"a push", NGHTTP2_PROTOCOL_ERROR,
       repeat(1, {.type = NGHTTP2_PUSH_PROMISE, .flags = 4, .stream = 1, .payload = "1234"})},
      {"a head of a stream that has ended", NGHTTP2_STREAM_CLOSED,
       [](Http2Client& client) {
         client.read_reply(client.get("/hello"));
         client.send(
             {.type = NGHTTP2_HEADERS, .flags = 5, .stream = 1, .payload = request_block("GET", "/")});
       }},
      {"data of a stream that has ended", NGHTTP2_STREAM_CLOSED,
       [](Http2Client& client) {
         client.read_reply(client.get("/hello"));
         client.data(1, "late", false);
       }},
      {"a stream that goes back", NGHTTP2_PROTOCOL_ERROR,
       [](Http2Client& client) {
         for (const std::uint32_t id : {5U, 3U}) {
           client.send(
               {.type = NGHTTP2_HEADERS, .flags = 5, .stream = id, .payload = request_block("GET", "/")});
         }
       }},
      {"the priority of no stream", NGHTTP2_PROTOCOL_ERROR,
       repeat(1, {.type = NGHTTP2_PRIORITY, .payload = std::string(5, '\0')})},
  };
  for (const Flood& each : floods) {
    SCOPED_TRACE(each.name);
    Http2Client client(server->port());
    each.attack(client);
    EXPECT_EQ(client.read_goaway(), each.code);
    EXPECT_TRUE(client.raw().closes_within(10s));
  }
  release();
  EXPECT_TRUE(eventually([&] {
    const ServerCounts counts = server->counts();
    return counts.connections_open == 0 && counts.streams_open == 0 && counts.unfinished == 0;
  }));
  Http2Client client(server->port());
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
}

TEST_F(Http2Hostile, AWrongPrefaceEndsTheConnection) {
  Server* const server = start();
  RawClient client(server->port());
  ASSERT_TRUE(client.send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"));
  EXPECT_TRUE(client.closes_within(10s));
}

TEST_F(Http2Hostile, ABodyThatIsRefusedIsNotAwaited) {
  Server* const server = start();
  Http2Client client(server->port());
  const auto slow = client.request("GET", "/slow", {}, false);
  // The reply is there before the body.
  const auto id = client.request("POST", "/echo", {{"content-length", "2000000"}}, false);
  EXPECT_EQ(client.read_reply(id).status, 413);
  client.data(slow, "", true);
  EXPECT_TRUE(eventually([this] { return handled() == 1; }));
  release();
  EXPECT_EQ(client.read_reply(slow).body, "slow");
}

TEST_F(Http2Hostile, HandlersOfResetStreamsKeepTheirPlace) {
  ServerOptions options;
  options.max_streams = 10;
  options.blocking_threads = 2;
  Server* const server = start(options);
  Http2Client client(server->port());
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(client.get("/slow"));
    if (i < 2) {
      ASSERT_TRUE(eventually([this, i] { return handled() == i + 1; }));
    }
    client.reset(ids.back());
  }
  ASSERT_TRUE(client.ping());
  EXPECT_EQ(server->counts().streams_open, 10U);
  EXPECT_EQ(client.read_reply(client.get("/hello")).reset, NGHTTP2_REFUSED_STREAM);
  release();
  EXPECT_TRUE(eventually([&] { return server->counts().streams_open == 0; }));
  EXPECT_EQ(handled(), 2) << "what was taken back before its turn is not done";
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
}

TEST_F(Http2Hostile, StreamsCountAsConnections) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_connections = 20;
  options.max_connections_per_address = 10;
  Server* const server = start(options);
  Http2Client client(server->port());
  // The connection itself has one place of the ten.
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 9; ++i) ids.push_back(client.get("/slow"));
  ASSERT_TRUE(client.ping());
  EXPECT_EQ(server->counts().streams_open, 9U);
  EXPECT_EQ(client.read_reply(client.get("/hello")).reset, NGHTTP2_REFUSED_STREAM);
  EXPECT_EQ(server->counts().shed_address, 1U);
  // A connection of HTTP/1.1 from there finds no room, and one from elsewhere does.
  RawClient same(server->port());
  EXPECT_TRUE(same.closes_within(10s));
  Http2Client other(server->port(), {}, "127.0.0.2");
  EXPECT_EQ(other.read_reply(other.get("/hello")).body, "hello");
  release();
  for (const auto id : ids) EXPECT_EQ(client.read_reply(id).body, "slow");
}

TEST_F(Http2Hostile, HalfOpenStreamsEndInTime) {
  ServerOptions options;
  options.body_timeout = 200ms;
  options.rate_window = 100ms;
  Server* const server = start(options);
  Http2Client client(server->port());
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(client.request("POST", "/echo", {}, false));
  ASSERT_TRUE(client.ping());
  for (const auto id : ids) EXPECT_EQ(client.read_reply(id).status, 408);
  EXPECT_TRUE(eventually([&] { return server->counts().unfinished == 0; }));
  EXPECT_EQ(client.read_reply(client.get("/hello")).body, "hello");
}

TEST_F(Http2Hostile, HalfOpenStreamsCountAsBegunRequests) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unfinished_per_address = 20;
  Server* const server = start(options);
  Http2Client client(server->port());
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(client.request("POST", "/echo", {}, false));
  ASSERT_TRUE(client.ping());
  EXPECT_LE(server->counts().unfinished, 20U);
  // The oldest have given way, and nothing of them was handled.
  EXPECT_EQ(client.read_reply(ids.front()).reset, NGHTTP2_REFUSED_STREAM);
  client.data(ids.back(), "hi", true);
  EXPECT_EQ(client.read_reply(ids.back()).body, "hi");
}

TEST_F(Http2Hostile, AHeadThatStopsEndsTheConnectionInTime) {
  ServerOptions options;
  options.header_timeout = 1s;
  Server* const server = start(options);
  Http2Client client(server->port());
  client.answers_settings = false;
  client.send({.type = NGHTTP2_HEADERS, .flags = 1, .stream = 1, .payload = request_block("GET", "/hello")});
  EXPECT_EQ(client.read_goaway(), NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_TRUE(client.raw().closes_within(10s));
}

TEST_F(Http2Hostile, PingsDoNotExcuseAClientThatReadsNothing) {
  ServerOptions options;
  options.rate_window = 500ms;
  options.write_timeout = 2s;
  Server* const server = start(options);
  Http2Client client(server->port());
  // Together more than the window of the connection, which stays closed.
  for (int i = 0; i < 10; ++i) client.get("/large");
  ASSERT_TRUE(eventually([&] { return server->counts().streams_open == 10; }));
  EXPECT_TRUE(eventually([&] {
    // Each is answered, as long as the connection is there.
    if (!client.send({.type = NGHTTP2_PING, .payload = "12345678"})) return true;
    return server->counts().connections_open == 0;
  }));
}

TEST(FrameScanner, GivesHeadsWhole) {
  const std::string bytes =
      frame_bytes({.type = NGHTTP2_PING, .payload = "12345678"}) + frame_bytes({.type = NGHTTP2_SETTINGS}) +
      frame_bytes({.type = NGHTTP2_DATA, .flags = 1, .stream = 3, .payload = std::string(20, 'x')});
  const std::string all = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes;
  for (std::size_t size = 1; size <= all.size(); ++size) {
    FrameScanner scanner;
    std::string given;
    std::string heads;
    for (std::size_t at = 0; at < all.size(); at += size) {
      std::string_view rest = std::string_view(all).substr(at, size);
      while (!rest.empty()) {
        bool is_head = false;
        const std::string_view piece = scanner.next(rest, is_head);
        given += piece;
        if (is_head) {
          EXPECT_GE(piece.size(), 9U);
          heads += std::to_string(scanner.head().type) + "/" + std::to_string(scanner.head().length) + " ";
        }
      }
    }
    EXPECT_EQ(given, all) << size;
    EXPECT_EQ(heads, "6/8 4/0 0/20 ") << size;
  }
}

TEST_F(Http2Hostile, ConnectionsWithoutRequestsEndInTime) {
  ServerOptions options;
  options.header_timeout = 1s;
  options.idle_timeout = 1500ms;
  Server* const server = start(options);
  // Pings make no connection busy.
  Http2Client client(server->port());
  ASSERT_TRUE(client.ping());
  EXPECT_EQ(client.read_goaway(), NGHTTP2_NO_ERROR);
  EXPECT_TRUE(client.raw().closes_within(10s));
  // Settings have to follow the preface as a head has to end.
  RawClient silent(server->port());
  ASSERT_TRUE(silent.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
  EXPECT_TRUE(silent.closes_within(10s));
  EXPECT_EQ(server->counts().shed_slow, 1U);
}

TEST_F(Http2Hostile, UnreadRepliesAreBoundedTogether) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 4 << 20;
  Router router;
  router.immediate("/own", "GET",
                   [](const Request&) { return Response::text(200, std::string(100'000, 'x')); });
  Server* const server = start(options, std::move(router));
  Http2Client client(server->port(), setting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0));
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 200; ++i) {
    ids.push_back(client.get("/own"));
    if (i % 50 == 0) {
      ASSERT_TRUE(client.ping());
    }
  }
  ASSERT_TRUE(client.ping());
  // The answer to the ping leaves before the last replies are counted.
  EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes <= options.max_unread_bytes; }));
  EXPECT_GT(server->counts().shed_slow, 100U);
  EXPECT_EQ(client.read_reply(ids.front()).reset, NGHTTP2_CANCEL);
}

TEST_F(Http2Hostile, AClientThatReadsNothingFillsNoMemory) {
  Server* const server = start();
  Http2Client client(server->port(), {}, nullptr, 4096);
  // Each ping asks for an answer that nobody reads: the server stops to read, or ends the connection.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += frame_bytes({.type = NGHTTP2_PING, .payload = "12345678"});
  const int fd = client.raw().fd();
  timeval limit{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int sent = 0;
  while (sent < 2000 && client.raw().send(many)) ++sent;
  EXPECT_LT(sent, 2000);
  EXPECT_LE(server->counts().unread_bytes, 8U << 20);
}

}  // namespace
}  // namespace fairway::http
