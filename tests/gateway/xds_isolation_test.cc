// SPDX-License-Identifier: Apache-2.0

// Routes that Envoy refuses, among others: a real Envoy serves all but them, before and after restarts.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "gateway/envoy_process.h"
#include "support/gateway_rig.h"
#include "support/process.h"
#include "xds/envoy_api.h"
#include "xds/server.h"

namespace fairway::gateway {
namespace {

using testing::ask;
using testing::eventually;
using State = xds::Acknowledgement::State;
using xds::ResourceName;
using xds::Type;

/// Returns a route that answers `body` to all paths below `prefix`.
json::Object answers(const std::string& prefix, const std::string& body) {
  return {
      {"match", json::Object{{"prefix", prefix}}},
      {"direct_response", json::Object{{"status", 200}, {"body", json::Object{{"inline_string", body}}}}}};
}
/// Returns a route that Envoy refuses for its action, and not for its match.
json::Object with_bad_header(const std::string& prefix, const std::string& command = "NO_SUCH_THING") {
  json::Object route = answers(prefix, "bad");
  route["response_headers_to_add"] =
      json::Array{json::Object{{"header", json::Object{{"key", "x-bad"}, {"value", "%" + command + "%"}}}}};
  return route;
}
/// Returns a route that Envoy refuses for its match.
json::Object with_bad_match() {
  json::Object route = answers("/", "bad");
  route["match"] = json::Object{{"safe_regex", json::Object{{"regex", "/[a"}}}};
  return route;
}

std::string type_url(const std::string& extension) {
  return "type.googleapis.com/envoy.extensions." + extension;
}

json::Object host(const std::string& name, json::Array routes) {
  return {{"name", name}, {"domains", json::Array{name}}, {"routes", std::move(routes)}};
}

class XdsIsolation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    auto loaded = xds::EnvoyApi::embedded();
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    api_ = *std::move(loaded);
    start_server();
  }

  void start_server() {
    auto started = xds::DiscoveryServer::start(
        api_, {.socket = socket_, .on_refusal = [this](Type) { ++refusals_; }, .lease = {}});
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
  }
  /// Replaces the server by a new one at the same socket.
  void restart_server() {
    server_.reset();
    start_server();
  }
  void start_envoy() {
    const auto bootstrap = envoy_bootstrap({.xds_socket = socket_, .data = folder_ / "."});
    const auto file = folder_.write("envoy.json", json::to_text(*bootstrap));
    envoy_ = std::make_unique<testing::Process>(
        std::vector<std::string>{testing::envoy_program(), "-c", file.string(), "--concurrency", "1",
                                 "--use-dynamic-base-id", "--log-level", "warning"},
        (folder_ / "log").string());
  }
  /// Serves virtual hosts on the port, with a key pair where there is one.
  void set(json::Array hosts, const std::optional<json::Object>& key_pair = std::nullopt) {
    const json::Object by_ads{{"ads", json::Object{}}, {"resource_api_version", "V3"}};
    const json::Object manager{
        {"@type", type_url("filters.network.http_connection_manager.v3.HttpConnectionManager")},
        {"stat_prefix", "test"},
        {"rds", json::Object{{"config_source", by_ads}, {"route_config_name", "l"}}},
        {"http_filters",
         json::Array{json::Object{
             {"name", "envoy.filters.http.router"},
             {"typed_config", json::Object{{"@type", type_url("filters.http.router.v3.Router")}}}}}}};
    json::Object chain{
        {"filters", json::Array{json::Object{{"name", "envoy.filters.network.http_connection_manager"},
                                             {"typed_config", manager}}}}};
    xds::Resources all{{routes_, json::Object{{"name", "l"}, {"virtual_hosts", std::move(hosts)}}}};
    if (key_pair) {
      const json::Object by_sds{{"name", "pair"}, {"sds_config", by_ads}};
      chain["transport_socket"] = json::Object{
          {"name", "envoy.transport_sockets.tls"},
          {"typed_config",
           json::Object{{"@type", type_url("transport_sockets.tls.v3.DownstreamTlsContext")},
                        {"common_tls_context",
                         json::Object{{"tls_certificate_sds_secret_configs", json::Array{by_sds}}}}}}};
      all[pair_] = json::Object{{"name", "pair"}, {"tls_certificate", *key_pair}};
    }
    const json::Object address{{"address", "127.0.0.1"}, {"port_value", port_}};
    all[{Type::listener, "l"}] = json::Object{{"name", "l"},
                                              {"address", json::Object{{"socket_address", address}}},
                                              {"filter_chains", json::Array{std::move(chain)}}};
    server_->set(all);
  }

  xds::Acknowledgement acknowledgement() const { return server_->acknowledgement(routes_); }
  bool is_agreed() const {
    State state = State::pending;
    eventually([&] {
      state = acknowledgement().state;
      return state == State::acknowledged || state == State::refused;
    });
    return state == State::acknowledged;
  }
  /// Returns the status and body of an answer: "200 a", "500 ".
  std::string asked(const std::string& host, const std::string& path = "/") const {
    const auto answer = ask(port_, host, path);
    return std::to_string(answer.status) + " " + answer.body;
  }
  std::string log() const { return read_file((folder_ / "log").string()).value_or(""); }

  const ResourceName routes_{Type::route, "l"}, pair_{Type::secret, "pair"};
  const testing::TempDirectory folder_;
  const int port_ = testing::free_loopback_port();
  std::atomic<int> refusals_ = 0;
  std::shared_ptr<const xds::EnvoyApi> api_;
  const std::filesystem::path socket_ = folder_ / "xds" / "envoys.sock";
  std::unique_ptr<xds::DiscoveryServer> server_;
  std::unique_ptr<testing::Process> envoy_;
};

TEST_F(XdsIsolation, OfManyHostsOneIsBadFromTheFirstConfigurationOn) {
  json::Array hosts;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "h" + std::to_string(i);
    hosts.push_back(host(name, {i == 7 ? with_bad_header("/") : answers("/", name)}));
  }
  set(hosts);
  start_envoy();
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  EXPECT_EQ(asked("h6"), "200 h6");
  EXPECT_EQ(asked("h7"), "500 ");
  const auto parts = acknowledgement().parts;
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].host, "h7");
  EXPECT_EQ(parts[0].route, 0U);
  EXPECT_EQ(parts[0].message, "Not supported field in StreamInfo: NO_SUCH_THING");
  EXPECT_EQ(asked("h19"), "200 h19");
}

TEST_F(XdsIsolation, OfManyRoutesOfAHostTwoAreBad) {
  json::Array routes{with_bad_match(), with_bad_header("/bad")};
  for (int i = 10; i < 30; ++i) routes.push_back(answers("/" + std::to_string(i), std::to_string(i)));
  routes.push_back(answers("/", "rest"));
  set({host("h", routes)});
  start_envoy();
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  EXPECT_EQ(asked("h", "/bad"), "500 ");
  EXPECT_EQ(asked("h", "/10"), "200 10");
  EXPECT_EQ(asked("h", "/29"), "200 29");
  EXPECT_EQ(asked("h", "/else"), "200 rest") << "what a bad match is for nobody knows";
  const auto parts = acknowledgement().parts;
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].route, 0U);
  EXPECT_EQ(parts[0].message, "missing ]: [a");
  EXPECT_EQ(parts[1].route, 1U);
}

TEST_F(XdsIsolation, WhatWasGoodBecomesBadAndGoodAgain) {
  set({host("a", {answers("/", "a1")}), host("b", {answers("/", "b1")})});
  start_envoy();
  ASSERT_TRUE(is_agreed()) << log();
  set({host("a", {with_bad_header("/")}), host("b", {answers("/", "b2")})});
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  EXPECT_EQ(asked("a"), "500 ");
  EXPECT_EQ(asked("b"), "200 b2");
  set({host("a", {answers("/", "a3")}), host("b", {answers("/", "b3")})});
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  EXPECT_EQ(asked("a"), "200 a3");
  EXPECT_EQ(asked("b"), "200 b3");
  EXPECT_TRUE(acknowledgement().parts.empty());
}

TEST_F(XdsIsolation, ChangesBesideABadRouteAreNotSearchedAgain) {
  const auto serve = [&](const std::string& body) {
    set({host("a", {with_bad_header("/bad"), answers("/", body)}), host("b", {answers("/", body)})});
    return is_agreed();
  };
  start_envoy();
  ASSERT_TRUE(serve("1")) << acknowledgement().message << log();
  const int before = refusals_;
  for (const char* body : {"2", "3", "4"}) {
    ASSERT_TRUE(serve(body)) << acknowledgement().message << log();
    EXPECT_EQ(asked("a"), std::string("200 ") + body);
    EXPECT_EQ(asked("b"), std::string("200 ") + body);
  }
  EXPECT_EQ(refusals_, before);
}

TEST_F(XdsIsolation, AnEnvoyThatIsNewIsGivenTheGoodRoutesAtOnce) {
  set({host("a", {with_bad_header("/bad"), answers("/", "a")}), host("b", {answers("/", "b")})});
  start_envoy();
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  envoy_->end(SIGKILL);
  ASSERT_TRUE(eventually([&] { return acknowledgement().state == State::unconnected; }));
  const int before = refusals_;
  start_envoy();
  // From the first answer on.
  std::string first;
  EXPECT_TRUE(eventually([&] { return (first = asked("b")) != "0 "; }));
  EXPECT_EQ(first, "200 b");
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  EXPECT_EQ(asked("a", "/bad"), "500 ");
  EXPECT_EQ(acknowledgement().parts.size(), 1U);
  EXPECT_EQ(refusals_, before + 1) << "it might be another Envoy, which takes it";
}

TEST_F(XdsIsolation, ANewServerFindsOutFromItsEnvoyWhatWasRefused) {
  json::Array hosts{host("a", {with_bad_header("/bad"), answers("/", "a")})};
  for (int i = 0; i < 20; ++i) {
    const std::string name = "h" + std::to_string(i);
    hosts.push_back(host(name, {answers("/", name)}));
  }
  set(hosts);
  start_envoy();
  ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
  std::string wrong;
  {
    const std::jthread asking([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        for (const char* name : {"a", "h1", "h19"}) {
          const std::string now = asked(name);
          if (now != std::string("200 ") + name) wrong += std::string(name) + ": " + now + "; ";
        }
      }
    });
    restart_server();
    const int before = refusals_;
    set(hosts);
    ASSERT_TRUE(is_agreed()) << acknowledgement().message << log();
    EXPECT_EQ(refusals_, before + 2) << "it is asked for its words";
  }
  EXPECT_EQ(wrong, "") << "what is served stays";
  EXPECT_EQ(asked("a", "/bad"), "500 ");
  const auto parts = acknowledgement().parts;
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].message, "Not supported field in StreamInfo: NO_SUCH_THING");
}

TEST_F(XdsIsolation, WordsAreThoseOfEnvoyWithoutTheRoutesOfOthers) {
  json::Object bad = answers("/bad", "bad");
  bad["direct_response"] = json::Object{{"status", 999}};
  set({host("h", {bad, answers("/", "h")})});
  start_envoy();
  const auto message = [&] {
    EXPECT_TRUE(is_agreed()) << acknowledgement().message << log();
    const auto parts = acknowledgement().parts;
    return parts.size() == 1 ? parts[0].message : "";
  };
  EXPECT_TRUE(message().starts_with("Proto constraint validation failed (RouteConf")) << message();
  EXPECT_TRUE(message().contains("Status: value must be inside range [200, 600)")) << message();
  // Envoy says no more than 4 KiB, and begins with all that it was sent.
  json::Array routes{bad};
  for (int i = 100; i < 200; ++i) routes.push_back(answers("/" + std::to_string(i), std::to_string(i)));
  restart_server();
  set({host("h", routes)});
  EXPECT_TRUE(message().contains("Status: value must be inside range [200, 600)")) << message();
  EXPECT_EQ(asked("h", "/bad"), "500 ");
  EXPECT_EQ(asked("h", "/162"), "200 162");
}

TEST_F(XdsIsolation, AKeyPairThatWasRefusedIsNotTakenForKnownByTheEnvoyOfANewServer) {
  const auto state = [&] { return server_->acknowledgement(pair_).state; };
  const json::Object garbage{{"certificate_chain", json::Object{{"inline_string", "certificate"}}},
                             {"private_key", json::Object{{"inline_string", "key"}}}};
  set({host("a", {answers("/", "a")})}, garbage);
  start_envoy();
  ASSERT_TRUE(eventually([&] { return state() == State::refused; })) << log();
  restart_server();
  set({host("a", {answers("/", "a")})}, garbage);
  ASSERT_TRUE(eventually([&] { return state() == State::refused || state() == State::acknowledged; }));
  EXPECT_EQ(state(), State::refused) << log();
}

}  // namespace
}  // namespace fairway::gateway
