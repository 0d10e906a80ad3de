// SPDX-License-Identifier: Apache-2.0

// Clients that ask for much and do not read it: what each of them holds of the server's and the kernel's
// memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

constexpr int small_buffer = 4096;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// Clients that send a large request, and the beginning of the next one, and do not read the reply.
void expect_nothing_held_of_requests(std::string_view next) {
  constexpr std::size_t readers = 60, body = 900'000;
  Router router = hello_routes();
  // Its bytes are shared by all: what a reader holds beyond them is its own.
  const auto large = Prepared::make(200, {}, make_bytes(std::string(16 << 20, 'x')));
  router.immediate("/take", "POST", [large](const Request&) { return Response::of(large); });
  const auto server = start_hello_server({}, std::move(router));
  const std::string request = "POST /take HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body) +
                              "\r\n\r\n" + std::string(body, 'x') + std::string(next);
  std::vector<RawClient> clients;
  const auto add = [&] {
    clients.emplace_back(server->port(), small_buffer);
    clients.back().send(request);
    ASSERT_TRUE(clients.back().read_some());
  };
  add();
  const std::size_t before = resident_bytes();
  while (clients.size() < readers && !::testing::Test::HasFatalFailure()) add();
  EXPECT_LT(resident_bytes(), before + readers * body / 2);
}

TEST(SlowReader, HoldsNothingOfItsRequest) {
  expect_nothing_held_of_requests("");
}

TEST(SlowReader, HoldsNothingOfItsRequestBehindWhichTheNextBegins) {
  expect_nothing_held_of_requests("G");
}
#endif

TEST(SlowReader, HoldsLittleOfTheKernelsMemory) {
  for (const bool from_file : {true, false}) {
    SCOPED_TRACE(from_file ? "sendfile" : "send");
    Router router = hello_routes();
    router.immediate("/text", "GET",
                     [](const Request&) { return Response::text(200, std::string(8 << 20, 'x')); });
    auto server = start_hello_server({}, std::move(router));
    RawClient client(server->port(), small_buffer);
    client.send(std::string("GET ") + (from_file ? "/large" : "/text") + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(client.read_some());
    // What the kernel has taken it still delivers.
    server.reset();
    EXPECT_LT(client.read_to_end().size(), 300'000U);
  }
}

TEST(SlowReader, GivesWayWhereItsAddressHoldsMost) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 1 << 20;
  options.rate_window = options.write_timeout = 300s;
  const auto server = start_hello_server(options);
  const auto reader = [&](const char* from) {
    RawClient client(server->port(), small_buffer, from);
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.read_some());
    return client;
  };
  RawClient honest = reader("127.0.0.2");
  std::vector<RawClient> others;
  for (int i = 0; i < 100; ++i) others.push_back(reader("127.0.0.3"));
  EXPECT_LE(server->counts().connections_open, 40U) << "a megabyte, of some tens of kilobytes each";
  EXPECT_GT(server->counts().shed_slow, 0U);
  EXPECT_EQ(body_of(honest.read_reply()).size(), std::size_t{8} << 20)
      << "it was the first, and holds little";
}

TEST(SlowReader, GivesWayToThoseOfAnotherThread) {
  ServerOptions options;
  options.io_threads = 2;
  options.max_unread_bytes = 1 << 20;
  options.rate_window = options.write_timeout = 300s;
  Router router = hello_routes();
  router.immediate("/thread", "GET", [](const Request&) {
    return Response::text(200, std::to_string(std::hash<std::thread::id>{}(std::this_thread::get_id())));
  });
  const auto server = start_hello_server(options, std::move(router));
  const auto thread_of = [](RawClient& client) {
    client.send("GET /thread HTTP/1.1\r\nHost: a\r\n\r\n");
    return body_of(client.read_reply());
  };
  const auto read_slowly = [](RawClient& client) {
    client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(client.read_some());
  };
  // All of one address on one thread.
  std::string heavy_thread;
  std::vector<RawClient> heavy, idle;
  for (int i = 0; i < 160; ++i) {
    RawClient client(server->port(), small_buffer, "127.0.0.3");
    const std::string thread = thread_of(client);
    if (heavy_thread.empty()) heavy_thread = thread;
    (thread == heavy_thread ? heavy : idle).push_back(std::move(client));
  }
  for (RawClient& client : heavy) ASSERT_NO_FATAL_FAILURE(read_slowly(client));
  ASSERT_GT(server->counts().shed_slow, 0U) << "more than there is room for";
  // And some of others on the other one, which has the fewest connections now.
  idle.clear();
  std::vector<RawClient> honest;
  for (int i = 0; honest.size() < 8 && i < 250; ++i) {
    RawClient client(server->port(), small_buffer, ("127.0.4." + std::to_string(i + 1)).c_str());
    if (thread_of(client) == heavy_thread) continue;
    ASSERT_NO_FATAL_FAILURE(read_slowly(client));
    honest.push_back(std::move(client));
    ASSERT_TRUE(eventually([&] { return server->counts().unread_bytes <= options.max_unread_bytes; }));
  }
  ASSERT_EQ(honest.size(), 8U);
  for (RawClient& client : honest) EXPECT_EQ(body_of(client.read_reply()).size(), std::size_t{8} << 20);
}

TEST(SlowReader, CountsForTheServersOverload) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 1 << 20;
  options.rate_window = options.write_timeout = 300s;
  const auto server = start_hello_server(options);
  std::vector<RawClient> clients;
  EXPECT_FALSE(server->counts().overloaded_replies);
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(server->port(), small_buffer);
    clients.back().send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(clients.back().read_some());
  }
  EXPECT_TRUE(server->counts().overloaded_replies);
  // The last reader has its first bytes before it counts, and counts before another one is shed for it.
  EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes <= options.max_unread_bytes; }));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes == 0; }));
  EXPECT_FALSE(server->counts().overloaded_replies);
}

TEST(SlowReader, CountsForWhatItSendsOnWithoutReading) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 1 << 20;
  options.rate_window = options.write_timeout = 300s;
  const auto server = start_hello_server(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(server->port(), small_buffer);
    clients.back().send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(clients.back().read_some());
  }
  ASSERT_EQ(server->counts().shed_slow, 0U) << "their replies alone are not too much";
  const std::string more(64 << 10, 'x');
  EXPECT_TRUE(eventually([&] {
    for (RawClient& client : clients)
      ::send(client.fd(), more.data(), more.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return server->counts().shed_slow > 0;
  }));
}

TEST(SlowReader, IsCountedAgainAsItReadsOn) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 1 << 30;
  const auto server = start_hello_server(options, hello_routes(64 << 20));
  RawClient client(server->port());
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return server->counts().unread_bytes > 0; }));
  const std::uint64_t first = server->counts().unread_bytes;
  // It is another part that TCP holds for whoever reads, sooner or later.
  EXPECT_TRUE(eventually([&] {
    for (int i = 0; i < 16; ++i) client.read_some();
    const std::uint64_t now = server->counts().unread_bytes;
    return now != 0 && now != first;
  }));
}

TEST(SlowReader, CountsForAReplyThatNobodyShares) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 64 << 20;
  options.rate_window = options.write_timeout = 300s;
  constexpr std::size_t size = 4 << 20;
  Router router = hello_routes();
  router.immediate("/text", "GET",
                   [](const Request&) { return Response::text(200, std::string(size, 'x')); });
  // Its file is another copy.
  router.immediate("/made", "GET", [](const Request&) {
    return Response::of(Prepared::make(200, {}, make_bytes(std::string(size, 'x'))));
  });
  router.immediate("/stream", "GET", [](const Request&) {
    Response response;
    response.stream = Stream::make(size);
    for (int i = 0; i < 4; ++i) response.stream->try_push(make_bytes(std::string(size / 4, 'x')));
    response.stream->close();
    return response;
  });
  const auto server = start_hello_server(options, std::move(router));
  for (const auto& [path, least, most] :
       {std::tuple("/large", std::size_t{1}, std::size_t{1} << 20),
        std::tuple("/text", size, size + (1 << 20)), std::tuple("/made", 2 * size, 2 * size + (1 << 20)),
        std::tuple("/stream", size - (1 << 20), size + (1 << 20))}) {
    SCOPED_TRACE(path);
    RawClient client(server->port(), small_buffer);
    client.send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes >= least; }));
    EXPECT_LE(server->counts().unread_bytes, most);
    client.reset();
    EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes == 0; }));
  }
}

TEST(SlowReader, CountsForWhatItsStreamQueuesMeanwhile) {
  ServerOptions options;
  options.rate_window = options.write_timeout = 300s;
  const auto stream = Stream::make(2 << 20);
  Router router;
  router.immediate("/stream", "GET", [stream](const Request&) {
    Response response;
    response.stream = stream;
    return response;
  });
  const auto server = start_hello_server(options, std::move(router));
  RawClient client(server->port(), small_buffer);
  client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(client.read_some());
  ASSERT_TRUE(stream->try_push(make_bytes(std::string(256 << 10, 'x'))));
  ASSERT_TRUE(eventually([&] { return server->counts().unread_bytes > 0; }));
  while (stream->try_push(make_bytes(std::string(16 << 10, 'x')))) {
  }
  EXPECT_TRUE(eventually([&] { return server->counts().unread_bytes >= (2 << 20) - (128 << 10); }));
}

TEST(SlowReader, OfAStreamMayPause) {
  ServerOptions options;
  options.rate_window = 300ms;
  constexpr std::size_t size = 1 << 20;
  Router router = hello_routes();
  router.immediate("/stream", "GET", [](const Request&) {
    Response response;
    response.stream = Stream::make(size);
    response.stream->try_push(make_bytes(std::string(size, 'x')));
    response.stream->close();
    return response;
  });
  const auto server = start_hello_server(options, std::move(router));
  RawClient paused(server->port(), small_buffer);
  paused.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(paused.read_some());
  for (std::uint64_t i = 1; i <= 3; ++i) {
    RawClient slow(server->port(), small_buffer);
    slow.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([&] { return server->counts().shed_slow >= i; })) << "a reply has to be read";
  }
  const std::string reply = paused.read_reply();
  EXPECT_TRUE(reply.ends_with("x\r\n0\r\n\r\n")) << reply.size();
  EXPECT_EQ(server->counts().shed_slow, 3U);
}

TEST(SlowReader, MayAskForAReplyOfAnySize) {
  ServerOptions options;
  options.io_threads = 1;
  options.max_unread_bytes = 1 << 20;
  Router router = hello_routes();
  router.immediate("/text", "GET",
                   [](const Request&) { return Response::text(200, std::string(8 << 20, 'x')); });
  const auto server = start_hello_server(options, std::move(router));
  RawClient other(server->port(), small_buffer);
  other.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(other.read_some());
  RawClient client(server->port(), small_buffer);
  client.send("GET /text HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(client.read_some());
  EXPECT_EQ(body_of(client.read_reply()).size(), std::size_t{8} << 20);
  EXPECT_EQ(body_of(other.read_reply()).size(), std::size_t{8} << 20);
}

TEST(SlowReader, MayHaveSentWhatItAsksNext) {
  const auto server = start_hello_server();
  RawClient client(server->port(), small_buffer);
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n" + hello_request);
  client.send(hello_request);
  EXPECT_EQ(body_of(client.read_reply()).size(), std::size_t{8} << 20);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(body_of(client.read_reply()), "hello");
}

}  // namespace
}  // namespace fairway::http
