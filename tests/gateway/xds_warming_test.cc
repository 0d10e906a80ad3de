// SPDX-License-Identifier: Apache-2.0

// Clusters that warm at a real Envoy: what they refer to changes, is refused, or is missing, the server goes
// away in between, and a change of a route that comes with it does not wait.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "gateway/envoy_process.h"
#include "http/certificate.h"
#include "support/gateway_rig.h"
#include "support/generous.h"
#include "support/process.h"
#include "xds/envoy_api.h"
#include "xds/server.h"

namespace fairway::gateway {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using State = xds::Acknowledgement::State;
using xds::Type;

std::string type_url(const std::string& extension) {
  return "type.googleapis.com/envoy.extensions." + extension;
}

const json::Object by_ads{{"ads", json::Object{}}, {"resource_api_version", "V3"}};

/// A cluster with TLS, whose client certificate is a secret.
struct Cluster {
  std::string secret = "pair";
  std::string connect_timeout = "5s";
  bool has_endpoints = true;
};

class XdsWarming : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    auto loaded = xds::EnvoyApi::embedded();
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    api_ = *std::move(loaded);
    const WallTime today = Clock::system().now();
    const http::Validity validity{today - std::chrono::hours(1), today + std::chrono::hours(24)};
    const auto authority = http::make_authority("warming", validity).value();
    pair_ = http::issue_certificate(authority, "gateway", {"a.example.com"}, validity).value();
    start_server();
    const auto bootstrap = envoy_bootstrap({.xds_socket = socket_, .data = folder_ / "."});
    const auto file = folder_.write("envoy.json", json::to_text(*bootstrap));
    envoy_ = std::make_unique<testing::Process>(
        std::vector<std::string>{testing::envoy_program(), "-c", file.string(), "--concurrency", "1",
                                 "--use-dynamic-base-id", "--log-level", "warning"},
        (folder_ / "log").string());
    secrets_["pair"] = pair_;
    for (const char* name : {"c", "d"}) clusters_[name] = {};
    set();
    ASSERT_TRUE(eventually([&] { return is_route_served(); })) << log();
    ASSERT_TRUE(eventually([&] { return state({Type::cluster, "d"}) == State::acknowledged; })) << log();
  }

  void start_server() {
    auto started = xds::DiscoveryServer::start(api_, {.socket = socket_, .lease = {}});
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
  }
  /// Serves the clusters and secrets, with a route that answers with the number of the change.
  void set() {
    ++number_;
    xds::Resources all;
    for (const auto& [name, pair] : secrets_) {
      const auto inline_text = [](const std::string& text) { return json::Object{{"inline_string", text}}; };
      all[{Type::secret, name}] =
          json::Object{{"name", name},
                       {"tls_certificate", json::Object{{"certificate_chain", inline_text(pair.certificate)},
                                                        {"private_key", inline_text(pair.key)}}}};
    }
    for (const auto& [name, cluster] : clusters_) add(name, cluster, all);
    const json::Object body{{"inline_string", std::to_string(number_)}};
    const json::Object route{{"match", json::Object{{"prefix", "/"}}},
                             {"direct_response", json::Object{{"status", 200}, {"body", body}}}};
    const json::Object host{{"name", "*"}, {"domains", json::Array{"*"}}, {"routes", json::Array{route}}};
    all[{Type::route, "l"}] = json::Object{{"name", "l"}, {"virtual_hosts", json::Array{host}}};
    const json::Object router{
        {"name", "envoy.filters.http.router"},
        {"typed_config", json::Object{{"@type", type_url("filters.http.router.v3.Router")}}}};
    const json::Object manager{
        {"@type", type_url("filters.network.http_connection_manager.v3.HttpConnectionManager")},
        {"stat_prefix", "test"},
        {"rds", json::Object{{"config_source", by_ads}, {"route_config_name", "l"}}},
        {"http_filters", json::Array{router}}};
    const json::Object filter{{"name", "envoy.filters.network.http_connection_manager"},
                              {"typed_config", manager}};
    const json::Object address{{"address", "127.0.0.1"}, {"port_value", port_}};
    all[{Type::listener, "l"}] =
        json::Object{{"name", "l"},
                     {"address", json::Object{{"socket_address", address}}},
                     {"filter_chains", json::Array{json::Object{{"filters", json::Array{filter}}}}}};
    server_->set(all);
  }
  static void add(const std::string& name, const Cluster& cluster, xds::Resources& all) {
    const json::Object by_sds{{"name", cluster.secret}, {"sds_config", by_ads}};
    const json::Object tls{
        {"@type", type_url("transport_sockets.tls.v3.UpstreamTlsContext")},
        {"common_tls_context", json::Object{{"tls_certificate_sds_secret_configs", json::Array{by_sds}}}}};
    all[{Type::cluster, name}] = json::Object{
        {"name", name},
        {"type", "EDS"},
        {"connect_timeout", cluster.connect_timeout},
        {"eds_cluster_config", json::Object{{"eds_config", by_ads}}},
        {"transport_socket", json::Object{{"name", "envoy.transport_sockets.tls"}, {"typed_config", tls}}}};
    if (!cluster.has_endpoints) return;
    all[{Type::endpoints, name}] =
        json::Object{{"cluster_name", name}, {"endpoints", json::Array{json::Object{}}}};
  }

  State state(const xds::ResourceName& name) const { return server_->acknowledgement(name).state; }
  bool is_route_served() const { return testing::ask(port_, "any").body == std::to_string(number_); }
  std::string log() const { return read_file((folder_ / "log").string()).value_or(""); }

  /// Makes a change with one of the route, and expects Envoy to serve the route soon.
  void expect_soon(const char* name, const std::function<void()>& change) {
    const auto begun = std::chrono::steady_clock::now();
    change();
    set();
    EXPECT_TRUE(eventually([&] { return is_route_served(); })) << name << "\n" << log();
    const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
    std::printf("%6lld ms  %s\n", static_cast<long long>(took.count()), name);
    EXPECT_LT(took, testing::generous(milliseconds(100))) << name;
  }

  const testing::TempDirectory folder_;
  const int port_ = testing::free_loopback_port();
  std::shared_ptr<const xds::EnvoyApi> api_;
  const std::filesystem::path socket_ = folder_ / "xds" / "envoys.sock";
  std::unique_ptr<xds::DiscoveryServer> server_;
  std::unique_ptr<testing::Process> envoy_;
  http::KeyedCertificate pair_;
  std::map<std::string, http::KeyedCertificate> secrets_;
  std::map<std::string, Cluster> clusters_;
  int number_ = 0;
};

TEST_F(XdsWarming, HoldsUpNoRoute) {
  const http::KeyedCertificate garbage{.certificate = "no certificate", .key = "no key"};
  expect_soon("a cluster", [&] { clusters_["c"].connect_timeout = "6s"; });
  expect_soon("two clusters", [&] {
    for (const char* name : {"c", "d"}) clusters_[name].connect_timeout = "7s";
  });
  expect_soon("a new cluster", [&] { clusters_["e"] = {}; });
  expect_soon("a cluster that goes", [&] { clusters_.erase("e"); });
  expect_soon("a cluster that comes back", [&] { clusters_["e"] = {}; });
  expect_soon("a secret that rotates", [&] { secrets_["pair"].certificate += "\n"; });
  expect_soon("another secret", [&] {
    secrets_["second"] = pair_;
    clusters_["c"].secret = "second";
  });
  expect_soon("the secret from before", [&] { clusters_["c"].secret = "pair"; });
  expect_soon("a secret that Envoy refuses", [&] {
    secrets_["bad"] = garbage;
    clusters_["c"].secret = "bad";
  });
  EXPECT_TRUE(eventually([&] { return state({Type::secret, "bad"}) == State::refused; }));
  expect_soon("a change of the cluster with it", [&] { clusters_["c"].connect_timeout = "8s"; });
  expect_soon("a secret that is good again", [&] { secrets_["bad"] = pair_; });
  expect_soon("a secret that becomes bad", [&] { secrets_["pair"] = garbage; });
  expect_soon("a secret that is good once more", [&] { secrets_["pair"] = pair_; });
}

TEST_F(XdsWarming, HoldsUpNoRouteForManySecrets) {
  constexpr int many = 300;
  for (int i = 0; i < many; ++i) {
    const std::string name = "many-" + std::to_string(i);
    secrets_[name] = pair_;
    clusters_[name].secret = name;
  }
  set();
  ASSERT_TRUE(eventually([&] { return is_route_served(); })) << log();
  ASSERT_TRUE(eventually([&] { return state({Type::secret, "many-299"}) == State::acknowledged; })) << log();
  expect_soon("300 secrets that rotate", [&] {
    for (auto& [name, pair] : secrets_) pair.certificate += "\n";
  });
}

TEST_F(XdsWarming, HoldsUpNoRouteWhileWhatItNeedsIsMissing) {
  expect_soon("a secret that does not exist", [&] { clusters_["c"].secret = "none"; });
  expect_soon("a secret that comes late", [&] { secrets_["none"] = pair_; });
  expect_soon("a new cluster without endpoints", [&] { clusters_["e"].has_endpoints = false; });
  expect_soon("endpoints that come late", [&] { clusters_["e"].has_endpoints = true; });
}

TEST_F(XdsWarming, HoldsUpNoRouteWhenTheServerIsReplaced) {
  expect_soon("a cluster that changes meanwhile", [&] {
    server_.reset();
    clusters_["c"].connect_timeout = "6s";
    start_server();
  });
  for (int i = 0; i < 5; ++i) {
    expect_soon("a server that goes while a cluster warms", [&] {
      clusters_["c"].connect_timeout = std::to_string(7 + i) + "s";
      set();
      server_.reset();
      start_server();
    });
  }
}

}  // namespace
}  // namespace fairway::gateway
