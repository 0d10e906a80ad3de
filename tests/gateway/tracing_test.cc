// SPDX-License-Identifier: Apache-2.0

// Spans of requests, with a real Envoy and a collector of this process.
#include "gateway/internal/model/tracing.h"
#include "gateway/internal/translation/envoy_tracing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/client.h"
#include "support/eventually.h"
#include "support/gateway_rig.h"
#include "support/loopback_server.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

TEST(Tracing, ReadsEndpoints) {
  const auto beside = Tracing::parse("http://127.0.0.1:4318", 100);
  ASSERT_TRUE(beside) << beside.error().message;
  EXPECT_EQ(*beside, (Tracing{.host = "127.0.0.1", .port = 4318, .path = "/v1/traces", .sampling = 100}));
  const auto below = Tracing::parse("http://[2001:db8::1]/otlp/", 0.5);
  ASSERT_TRUE(below) << below.error().message;
  EXPECT_EQ(*below, (Tracing{.host = "2001:db8::1", .port = 80, .path = "/otlp/v1/traces", .sampling = 0.5}));
  Translation out;
  EXPECT_NE(
      json::to_text(envoy_tracing(*below, "shop/web", out)).find("http://[2001:db8::1]:80/otlp/v1/traces"),
      std::string::npos);
  EXPECT_TRUE(out.clusters.contains("fairway/trace-collector"));
}

TEST(Tracing, RefusesWhatEnvoysCannotReach) {
  for (const char* endpoint :
       {"collector:4318", "https://collector", "http://user@collector", "http://c/?a=b", ""}) {
    EXPECT_FALSE(Tracing::parse(endpoint, 1)) << endpoint;
  }
  EXPECT_FALSE(Tracing::parse("http://collector:4318", 101));
  EXPECT_FALSE(Tracing::parse("http://collector:4318", -1));
}

/// A collector that keeps the bodies of OTLP requests.
class Collector {
 public:
  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  bool has(std::string_view bytes) const {
    const std::scoped_lock lock(mutex_);
    return bodies_.find(bytes) != std::string::npos;
  }
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return bodies_.size();
  }

 private:
  http::Response take(const http::Request& request) {
    if (request.path != "/v1/traces") return http::Response::text(404, "no");
    const std::scoped_lock lock(mutex_);
    bodies_ += request.body;
    return http::Response::text(200, "");
  }

  mutable std::mutex mutex_;
  std::string bodies_;
  const std::unique_ptr<http::Server> server_ =
      testing::serve_on_loopback("POST", [this](const http::Request& request) { return take(request); }, {});
};

class TracedGateway : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    rig_ = std::make_unique<testing::GatewayRig>(
        (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
        testing::envoy_program());
    rig_->apply_gateway(port_);
    rig_->apply_backend("a", backend_->port());
    rig_->apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: all, namespace: shop},"
        " spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: a, port: 80}]}]}}");
  }

  /// Sends a request with the header `traceparent`, and returns the one that the backend got.
  std::string sent_on(const std::string& traceparent) {
    const auto client = http::Client::create({.proxy_environment = false});
    if (!client) return client.error().message;
    http::Call call{.limits = Limits::within(Clock::system(), std::chrono::seconds(20))};
    call.url = *http::Url::parse("http://127.0.0.1:" + std::to_string(port_) + "/");
    if (!traceparent.empty()) call.headers.add("traceparent", traceparent);
    const auto reply = (*client)->send(call);
    if (!reply) return reply.error().message;
    return reply->status == 200 ? reply->body : std::to_string(reply->status);
  }
  bool serves() {
    return eventually([&] { return sent_on("").starts_with("traceparent: "); });
  }

  const std::unique_ptr<http::Server> backend_ = testing::serve_on_loopback(
      "GET",
      [](const http::Request& request) {
        return http::Response::text(200, "traceparent: " + request.headers_joined("traceparent"));
      },
      {});
  const int port_ = testing::free_loopback_port();
  Collector collector_;
  std::unique_ptr<testing::GatewayRig> rig_;
};

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string span = "00f067aa0ba902b7";

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST_F(TracedGateway, SendsSpansOfWhatItsClientsTrace) {
  rig_->start_controller({"--trace-endpoint", collector_.endpoint(), "--trace-sampling", "0"});
  ASSERT_TRUE(serves()) << sent_on("") << rig_->log();
  const std::string got = sent_on("00-" + trace + "-" + span + "-01");
  EXPECT_TRUE(got.starts_with("traceparent: 00-" + trace + "-")) << got;
  EXPECT_EQ(got.find(span), std::string::npos) << got;
  EXPECT_TRUE(eventually([&] { return collector_.has(bytes_of(trace)); })) << rig_->log();
  EXPECT_TRUE(collector_.has(bytes_of(span)));
  EXPECT_TRUE(collector_.has("shop/web"));
  // Of the requests that say nothing none is sampled.
  EXPECT_TRUE(sent_on("").ends_with("-00")) << sent_on("");
}

TEST_F(TracedGateway, SendsSpansOfItsShareOfTheOthers) {
  rig_->start_controller({"--trace-endpoint", collector_.endpoint(), "--trace-sampling", "100"});
  ASSERT_TRUE(serves()) << sent_on("") << rig_->log();
  EXPECT_TRUE(eventually([&] { return collector_.has("shop/web"); })) << rig_->log();
  // A client that says that its request is not traced is believed.
  const std::string got = sent_on("00-" + trace + "-" + span + "-00");
  EXPECT_TRUE(got.ends_with("-00")) << got;
}

TEST_F(TracedGateway, ServesWithoutItsCollector) {
  rig_->start_controller(
      {"--trace-endpoint", "http://no-such-collector.invalid:4318", "--trace-sampling", "100"});
  EXPECT_TRUE(serves()) << sent_on("") << rig_->log();
  EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; }))
      << rig_->programmed("web");
}

}  // namespace
}  // namespace fairway::gateway
