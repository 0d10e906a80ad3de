// SPDX-License-Identifier: Apache-2.0

// Connections of HTTP/2 whose server has gone without a word.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "http/certificates.h"
#include "http/client.h"
#include "http/hello_server.h"
#include "http/internal/http2/peer_silence.h"
#include "http/silent_relay.h"
#include "support/eventually.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::TestCa;
using Due = PeerSilence::Due;

constexpr SteadyTime start{1h};

TEST(PeerSilence, AsksOnceAndGivesUpThen) {
  PeerSilence silence(30s, 15s);
  silence.hear(start);
  EXPECT_EQ(silence.due(start + 29s, true), Due::nothing);
  EXPECT_EQ(silence.next(true), start + 30s);
  EXPECT_EQ(silence.due(start + 30s, true), Due::ping);
  EXPECT_EQ(silence.next(true), start + 45s);
  EXPECT_EQ(silence.due(start + 44s, true), Due::nothing);
  EXPECT_EQ(silence.due(start + 45s, true), Due::end);
}

TEST(PeerSilence, IsContentWithAnyByte) {
  PeerSilence silence(30s, 15s);
  silence.hear(start);
  EXPECT_EQ(silence.due(start + 30s, true), Due::ping);
  silence.hear(start + 31s);
  EXPECT_EQ(silence.due(start + 60s, true), Due::nothing);
  EXPECT_EQ(silence.due(start + 61s, true), Due::ping);
}

TEST(PeerSilence, AsksNobodyWhoOwesNothing) {
  PeerSilence silence(30s, 15s);
  silence.hear(start);
  EXPECT_EQ(silence.due(start + 1h, false), Due::nothing);
  EXPECT_EQ(silence.next(false), std::nullopt);
  silence.expect(start + 1h);
  EXPECT_EQ(silence.due(start + 1h + 29s, true), Due::nothing);
  EXPECT_EQ(silence.due(start + 1h + 30s, true), Due::ping);
}

TEST(PeerSilence, DoubtsAServerThatLetACallWaitForNothing) {
  PeerSilence silence(30s, 15s);
  silence.hear(start);
  EXPECT_FALSE(silence.doubt(start - 1s, start + 1s)) << "it has sent something since";
  EXPECT_FALSE(silence.is_doubted());
  EXPECT_TRUE(silence.doubt(start + 1s, start + 5s));
  EXPECT_FALSE(silence.doubt(start + 2s, start + 6s)) << "it has been asked";
  EXPECT_TRUE(silence.is_doubted());
  EXPECT_EQ(silence.due(start + 20s, false), Due::end) << "although no call waits any more";
  silence.hear(start + 20s);
  EXPECT_FALSE(silence.is_doubted());
  EXPECT_EQ(silence.due(start + 21s, false), Due::nothing);
}

class Http2Silence : public ::testing::Test {
 protected:
  Http2Silence() {
    ServerOptions options{.http2 = Http2::tls};
    Router router = hello_routes(500'000);
    router.immediate("/watch", "GET", [this](const Request&) {
      Response response;
      response.stream = watch;
      return response;
    });
    const auto made = ca.server();
    options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
    server = start_hello_server(options, std::move(router));
    relay = std::make_unique<SilentRelay>(server->port());
  }
  void connect(std::chrono::milliseconds ping_after, std::chrono::milliseconds ping_timeout) {
    ClientOptions settings;
    settings.system_cas = settings.proxy_environment = false;
    settings.ca_texts = {{ca.certificate(), "the test's CA"}};
    settings.http2 = true;
    settings.ping_after = ping_after;
    settings.ping_timeout = ping_timeout;
    client = Client::create(settings).value();
  }
  Result<Reply> get(const std::string& path, std::chrono::milliseconds limit = 20s) const {
    Call call;
    call.url = Url::parse("https://localhost:" + std::to_string(relay->port()) + path).value();
    call.limits.deadline = std::chrono::steady_clock::now() + limit;
    return client->send(call);
  }

  const std::shared_ptr<Stream> watch = Stream::make();
  TestCa ca;
  std::unique_ptr<Server> server;
  std::unique_ptr<SilentRelay> relay;
  std::unique_ptr<Client> client;
};

TEST_F(Http2Silence, EndsAWatchWhoseServerAnswersNoPing) {
  connect(1s, 3s);
  std::jthread silences([this] {
    EXPECT_TRUE(eventually([this] { return server->counts().streams_open == 1; }));
    relay->fall_silent();
  });
  const auto reply = get("/watch");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::unavailable);
  EXPECT_NE(reply.error().message.find("not even the answer to a ping"), std::string::npos)
      << reply.error().message;
  EXPECT_EQ(get("/hello").value().body, "hello");
  EXPECT_EQ(relay->connections(), 2U);
}

TEST_F(Http2Silence, LeavesAQuietWatchAlone) {
  connect(20ms, 20s);
  ASSERT_TRUE(get("/hello"));
  EXPECT_EQ(get("/watch", 2s).error().code, ErrorCode::deadline_exceeded);
  EXPECT_EQ(get("/hello").value().body, "hello");
  EXPECT_EQ(relay->connections(), 1U);
}

TEST_F(Http2Silence, NoCallFollowsOneThatFoundNothing) {
  connect(1h, 1h);
  ASSERT_TRUE(get("/hello"));
  relay->fall_silent();
  EXPECT_EQ(get("/hello", 200ms).error().code, ErrorCode::deadline_exceeded);
  EXPECT_EQ(get("/hello").value().body, "hello");
  EXPECT_EQ(relay->connections(), 2U);
}

}  // namespace
}  // namespace fairway::http
