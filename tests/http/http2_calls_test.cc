// SPDX-License-Identifier: Apache-2.0

// The client over HTTP/2: calls that share a connection.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/certificates.h"
#include "http/client.h"
#include "http/hello_server.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::TestCa;

class Http2Calls : public ::testing::Test {
 protected:
  void start(ServerOptions options = {.http2 = Http2::tls}) {
    Router router = hello_routes(500'000);
    router.immediate("/watch", "GET", [this](const Request&) {
      Response response;
      response.stream = Stream::make();
      const std::scoped_lock lock(mutex);
      streams.push_back(response.stream);
      return response;
    });
    router.immediate("/who", "GET HEAD", [](const Request& request) {
      return Response::text(200, std::string(request.header("Host").value_or("-")) + " " +
                                     std::string(request.header("User-Agent").value_or("-")) + " " +
                                     request.headers_joined("X"));
    });
    const auto made = ca.server();
    options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
    server = start_hello_server(options, std::move(router));
    ClientOptions settings;
    settings.system_cas = settings.proxy_environment = false;
    settings.ca_texts = {{ca.certificate(), "the test's CA"}};
    settings.http2 = true;
    client = Client::create(settings).value();
  }
  Call call(const std::string& path, std::chrono::milliseconds limit = 20s) const {
    Call made;
    made.url = Url::parse("https://localhost:" + std::to_string(server->port()) + path).value();
    made.limits.deadline = std::chrono::steady_clock::now() + limit;
    return made;
  }
  std::string get(const std::string& path) const {
    const auto reply = client->send(call(path));
    return reply ? std::to_string(reply->status) + " " + reply->body : reply.error().message;
  }
  std::size_t watches() {
    const std::scoped_lock lock(mutex);
    return streams.size();
  }

  TestCa ca;
  std::mutex mutex;
  std::vector<std::shared_ptr<Stream>> streams;
  std::unique_ptr<Server> server;
  std::unique_ptr<Client> client;
};

TEST_F(Http2Calls, ReadRepliesOfAllKinds) {
  start();
  EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_EQ(get("/missing").substr(0, 3), "404");
  EXPECT_EQ(client->send(call("/large")).value().body.size(), 500'000U);
  Call post = call("/echo");
  post.method = "POST";
  post.body = std::string(1'000'000, 'x');
  EXPECT_EQ(client->send(post).value().body, post.body);
  Call who = call("/who");
  who.headers = {{"X", "1"}, {"X", "2"}, {"Connection", "close"}};
  EXPECT_EQ(client->send(who).value().body, "localhost:" + std::to_string(server->port()) + " fairway 1, 2");
  who.method = "HEAD";
  EXPECT_EQ(client->send(who).value().body, "");
  EXPECT_EQ(server->counts().connections_total, 1U);
  EXPECT_EQ(server->counts().requests, 6U);
}

TEST_F(Http2Calls, ManyShareAConnection) {
  start();
  std::atomic<int> received = 0;
  std::vector<std::jthread> threads;
  std::stop_source stop;
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&] {
      Call watch = call("/watch");
      watch.limits.stop = stop.get_token();
      watch.on_body = [&](std::string_view piece) -> Result<void> {
        received += static_cast<int>(piece.size());
        return {};
      };
      EXPECT_EQ(client->send(watch).error().code, ErrorCode::cancelled);
    });
  }
  ASSERT_TRUE(eventually([this] { return watches() == 50; }));
  EXPECT_EQ(server->counts().connections_total, 1U);
  EXPECT_EQ(server->counts().streams_open, 50U);
  for (const auto& stream : streams) ASSERT_TRUE(stream->try_push(make_bytes("event")));
  EXPECT_TRUE(eventually([&] { return received == 250; }));
  stop.request_stop();
  threads.clear();
  EXPECT_TRUE(eventually([this] { return server->counts().streams_open == 0; }));
  EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_EQ(server->counts().connections_total, 1U);
}

TEST_F(Http2Calls, ACallerThatIsSlowHoldsUpNoOther) {
  start();
  std::atomic<bool> go_on = false, began = false;
  std::size_t received = 0;
  std::jthread slow([&] {
    Call large = call("/large");
    large.on_body = [&](std::string_view piece) -> Result<void> {
      began = true;
      go_on.wait(false);
      received += piece.size();
      return {};
    };
    EXPECT_EQ(client->send(large).value().status, 200);
  });
  ASSERT_TRUE(eventually([&] { return began.load(); }));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client->send(call("/large")).value().body.size(), 500'000U);
  go_on = true;
  go_on.notify_all();
  slow.join();
  EXPECT_EQ(received, 500'000U);
  EXPECT_EQ(server->counts().connections_total, 1U);
}

TEST_F(Http2Calls, AServerWithoutItIsAskedByHttp1) {
  start(ServerOptions{});
  EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_EQ(server->counts().connections_total, 1U);
}

TEST_F(Http2Calls, MoreThanOneConnectionTakesGoOverAnother) {
  start({.http2 = Http2::tls, .max_streams = 2});
  ASSERT_EQ(get("/hello"), "200 hello");  // now the limit is known
  std::stop_source stop;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 5; ++i) {
    threads.emplace_back([&] {
      Call watch = call("/watch");
      watch.limits.stop = stop.get_token();
      EXPECT_EQ(client->send(watch).error().code, ErrorCode::cancelled);
    });
  }
  EXPECT_TRUE(eventually([this] { return watches() == 5; }));
  EXPECT_EQ(server->counts().connections_total, 3U);
  stop.request_stop();
}

TEST_F(Http2Calls, NoneWaitsForOthersWhoseEndNobodyKnows) {
  // Nothing is known of the server when they are made.
  start({.http2 = Http2::tls, .max_streams = 2});
  std::stop_source stop;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      Call watch = call("/watch");
      watch.limits.stop = stop.get_token();
      EXPECT_EQ(client->send(watch).error().code, ErrorCode::cancelled);
    });
  }
  EXPECT_TRUE(eventually([this] { return watches() == 20; }));
  stop.request_stop();
}

TEST_F(Http2Calls, LimitsOfACallEndItsStreamAlone) {
  start();
  ASSERT_EQ(get("/hello"), "200 hello");  // now the connection is there
  const auto late = client->send(call("/watch", 1s));
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  Call small = call("/large");
  small.max_body_bytes = 1000;
  EXPECT_EQ(client->send(small).error().code, ErrorCode::too_large);
  Call refused = call("/large");
  refused.on_body = [](std::string_view) -> Result<void> { return fail(ErrorCode::invalid, "no more"); };
  EXPECT_EQ(client->send(refused).error().code, ErrorCode::invalid);
  EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_TRUE(eventually([this] { return server->counts().streams_open == 0; }));
  EXPECT_EQ(server->counts().connections_total, 1U);
}

TEST_F(Http2Calls, AStreamThatBreaksIsAnError) {
  start();
  std::jthread breaks([this] {
    EXPECT_TRUE(eventually([this] { return watches() == 1; }));
    streams.front()->try_push(make_bytes("half"));
    streams.front()->close(true);
  });
  const auto reply = client->send(call("/watch"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
  EXPECT_NE(reply.error().message.find("INTERNAL_ERROR"), std::string::npos) << reply.error().message;
}

TEST_F(Http2Calls, AConnectionThatRetiresIsReplaced) {
  start();
  EXPECT_EQ(get("/hello"), "200 hello");
  const auto made = ca.server();
  ASSERT_TRUE(server->use_certificate(made.certificate, made.key));
  // The next reply is the last one there.
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get("/hello"), "200 hello");
  EXPECT_TRUE(eventually([this] { return server->counts().connections_open == 1; }));
  EXPECT_EQ(server->counts().connections_total, 2U);
}

TEST_F(Http2Calls, ACutConnectionEndsItsCalls) {
  start();
  std::jthread cuts([this] {
    EXPECT_TRUE(eventually([this] { return watches() == 1; }));
    server.reset();
  });
  const Call watch = call("/watch");
  EXPECT_EQ(client->send(watch).error().code, ErrorCode::unavailable);
  cuts.join();
  EXPECT_EQ(client->send(watch).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace fairway::http
