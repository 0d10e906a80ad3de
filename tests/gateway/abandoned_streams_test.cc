// SPDX-License-Identifier: Apache-2.0

// What clients hold open without using it ends, and its memory with it, while a request that is only slow
// goes on. With a real Envoy.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "base/json.h"
#include "gateway/internal/envoy/envoy_admin.h"
#include "gateway/raw_http2.h"
#include "support/gateway_rig.h"
#include "support/generous.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::eventually;
using testing::generous;

/// Size of a large answer: more than Envoy holds for one stream.
constexpr std::size_t large = 4 << 20;
/// Time for which the slow backend is silent: longer than the limits of these tests, and than Envoy's own.
constexpr seconds silence{16};

class AbandonedStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    rig_.apply_gateway(port_);
    rig_.apply_backend("a", backend_->port());
    rig_.apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a, namespace: shop},
 spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: a, port: 80}]}]}}
)");
  }
  /// Starts the controller. `connections`: members of `spec.connections` of the Gateway's parameters.
  void start(const std::string& connections, const std::vector<std::string>& flags = {}) {
    rig_.apply(
        "{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: times, namespace: "
        "shop}, spec: {connections: {" +
        connections + "}}}");
    rig_.apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: shop}, "
        "spec: {infrastructure: {parametersRef: {group: fairway.dev, kind: GatewayParameters, name: "
        "times}}}}");
    rig_.start_controller(flags);
    ASSERT_TRUE(eventually([&] { return testing::ask(port_, "any").status == 200; })) << rig_.log();
    ASSERT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
  }
  /// Sends a text on a connection of its own, and expects the connection to be closed after about a second.
  void expect_end(const std::string& text, const std::string& what, std::string* got = nullptr) const {
    const FileDescriptor socket = connect_to_loopback(port_);
    ASSERT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    const auto ended = closed_after(socket, generous(seconds(2)), got);
    ASSERT_TRUE(ended) << what << " goes on";
    EXPECT_GE(*ended, milliseconds(900)) << what;
  }
  /// Returns the bytes that Envoy has allocated.
  std::size_t allocated() const {
    const auto text = ask_envoy(rig_.folder() / "data" / "envoy-admin.sock", "GET", "/memory", seconds(10));
    if (!text) return 0;
    const auto value = json::parse(*text);
    const auto size = value ? json::find_string(*value, "allocated") : std::nullopt;
    return size ? std::stoull(std::string(*size)) : 0;
  }

  const std::unique_ptr<http::Server> backend_ =
      testing::serve_on_loopback("GET POST",
                                 [](const http::Request& request) {
                                   if (request.path == "/slow") std::this_thread::sleep_for(silence);
                                   if (request.path == "/large")
                                     return http::Response::text(200, std::string(large, 'x'));
                                   if (request.path == "/small")
                                     return http::Response::text(200, std::string(1000, 'x'));
                                   return http::Response::text(200, "a");
                                 },
                                 {});
  const int port_ = testing::free_loopback_port();
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           testing::envoy_program()};
};

TEST_F(AbandonedStreams, EndWhileARequestThatIsSilentGoesOn) {
  start("idleTimeout: 1s, headersTimeout: 1s, unreadTimeout: 1s", {"--keepalive", "1s"});
  std::string slow;
  const FileDescriptor waiting = connect_to_loopback(port_);
  constexpr std::string_view request = "GET /slow HTTP/1.1\r\nHost: any\r\nConnection: close\r\n\r\n";
  ASSERT_GT(::send(waiting.get(), request.data(), request.size(), MSG_NOSIGNAL), 0);
  expect_end("", "a connection without a request");
  std::string got;
  expect_end("GET / HTTP/1.1\r\nHost: a\r\n", "a request without the end of its headers", &got);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 408 ")) << got;
  got.clear();
  expect_end("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "a connection after its request", &got);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 ")) << got;
  ASSERT_TRUE(closed_after(waiting, generous(silence), &slow));
  EXPECT_TRUE(slow.starts_with("HTTP/1.1 200 ")) << slow;
}

TEST_F(AbandonedStreams, AnAnswerThatNobodyTakesIsGivenUp) {
  start("unreadTimeout: 1s");
  RawHttp2 client(port_, true);
  client.get("any", "/small");
  const auto reset = client.wait_for(Http2Frame::reset, generous(seconds(2)));
  ASSERT_TRUE(reset) << "the stream is open";
  EXPECT_EQ(reset->stream, 1U);
}

TEST_F(AbandonedStreams, AClientThatIsGoneIsNoticedAndOneThatIsThereIsNot) {
  start("unreadTimeout: 0s", {"--keepalive", "1s"});
  RawHttp2 gone(port_, false), there(port_, true);
  gone.get("any", "/large");
  there.get("any", "/large");
  bool is_pinged = false;
  const auto both = [&] {
    gone.wait_for(Http2Frame::push, milliseconds(20));
    if (there.wait_for(Http2Frame::ping, milliseconds(20))) is_pinged = true;
    return gone.is_closed();
  };
  EXPECT_TRUE(eventually(both)) << "no ping was answered, and the connection goes on";
  EXPECT_TRUE(eventually([&] { return both() && is_pinged; }));
  EXPECT_FALSE(there.is_closed());
  EXPECT_EQ(there.resets(), 0);
}

TEST_F(AbandonedStreams, DoNotFillTheMemory) {
  // Envoy itself has some 10 MiB.
  constexpr std::size_t most = 96 << 20;
  constexpr int rounds = 4, streams = 60;
  start("unreadTimeout: 0s", {"--max-memory", std::to_string(most >> 20)});
  std::vector<std::unique_ptr<RawHttp2>> clients;
  std::vector<FileDescriptor> connections;
  std::size_t highest = 0;
  for (int i = 0; i < rounds; ++i) {
    clients.push_back(std::make_unique<RawHttp2>(port_, true));
    for (int j = 0; j < streams; ++j) {
      clients.back()->get("any", "/large");
      connections.push_back(connect_to_loopback(port_));
      constexpr std::string_view request = "GET /large HTTP/1.1\r\nHost: any\r\n\r\n";
      ::send(connections.back().get(), request.data(), request.size(), MSG_NOSIGNAL);
    }
    for (auto& one : clients) one->wait_for(Http2Frame::push, milliseconds(10));
    highest = std::max(highest, allocated());
    // What is over the limit is noticed four times a second; until then requests may be refused.
    EXPECT_TRUE(eventually([&] { return testing::ask(port_, "any").status == 200; })) << "after round " << i;
  }
  EXPECT_TRUE(eventually([&] { return allocated() < most * 85 / 100; })) << allocated() << " bytes";
  int resets = 0;
  for (auto& one : clients) {
    one->wait_for(Http2Frame::push, milliseconds(10));
    resets += one->resets();
  }
  std::printf("%zu MiB at most, then %zu of %zu; %d of %d streams reset\n", highest >> 20, allocated() >> 20,
              most >> 20, resets, rounds * streams);
  EXPECT_GT(resets, 0);
  EXPECT_GT(highest, most / 4) << "the clients held nothing";
  for (auto& one : clients) EXPECT_FALSE(one->is_closed()) << "streams are reset, and not connections";
}

}  // namespace
}  // namespace fairway::gateway
