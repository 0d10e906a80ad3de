// SPDX-License-Identifier: Apache-2.0

// Two replicas of fairway-gateway beside an API server of this process: what the leader writes speaks of the
// Envoys of both.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gateway/internal/replicas/replica_leases.h"
#include "support/gateway_rig.h"
#include "xds/fake_envoy.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

const k8s::GroupVersionResource leases{"coordination.k8s.io", "v1", "leases"};

constexpr const char* method =
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/// An Envoy that accepts all resources. Its acknowledgements are held back between `hold` and `release`.
class TestEnvoy {
 public:
  TestEnvoy(std::shared_ptr<const xds::EnvoyApi> api, const std::string& address, std::string node,
            const std::filesystem::path& certificates)
      : node_(std::move(node)), envoy_(std::move(api), address, method, certificates) {
    for (const xds::Type type : {xds::Type::cluster, xds::Type::listener})
      envoy_.send({{"node", json::Object{{"id", node_}}}, {"type_url", xds::url_of(type)}});
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (const auto response = envoy_.receive()) take(*response);
      }
    });
  }
  ~TestEnvoy() {
    thread_.request_stop();
    envoy_.cancel();
    thread_.join();
  }
  TestEnvoy(const TestEnvoy&) = delete;
  TestEnvoy& operator=(const TestEnvoy&) = delete;

  void hold() {
    const std::scoped_lock lock(mutex_);
    holds_ = true;
  }
  void release() {
    const std::scoped_lock lock(mutex_);
    holds_ = false;
    for (const json::Object& answer : held_) envoy_.send(answer);
    held_.clear();
  }
  bool has_something_to_say() const {
    const std::scoped_lock lock(mutex_);
    return !held_.empty();
  }

 private:
  void take(const json::Object& response) {
    json::Object answer{{"type_url", response.at("type_url")}, {"response_nonce", response.at("nonce")}};
    const std::scoped_lock lock(mutex_);
    if (holds_) {
      held_.push_back(std::move(answer));
    } else {
      envoy_.send(answer);
    }
    if (response.at("type_url").get_string() != xds::url_of(xds::Type::listener)) return;
    const json::Value* resources = response.if_contains("resources");
    if (resources == nullptr) return;
    json::Array routes;
    for (const json::Value& one : resources->get_array())
      routes.emplace_back(std::string(one.get_object().at("name").get_string()) + "#shop/web");
    envoy_.send(
        {{"type_url", xds::url_of(xds::Type::route)}, {"resource_names_subscribe", std::move(routes)}});
  }

  const std::string node_;
  xds::FakeEnvoy envoy_;
  mutable std::mutex mutex_;
  bool holds_ = false;
  std::vector<json::Object> held_;
  std::jthread thread_;
};

class ReplicasTest : public ::testing::Test {
 protected:
  struct Replica {
    std::unique_ptr<testing::Process> process;
    std::string log_path;
    std::filesystem::path data;
    std::string log() const { return read_file(log_path).value_or(""); }
  };

  void SetUp() override {
    auto api = xds::EnvoyApi::embedded();
    if (!api) GTEST_SKIP() << api.error().message;
    api_ = *std::move(api);
    rig_.apply_gateway(8080);
  }

  Replica start(const std::string& name, const std::string& listen = "127.0.0.1:0") {
    Replica replica{.process = nullptr,
                    .log_path = (rig_.folder() / name).string(),
                    .data = rig_.folder() / (name + "-data")};
    replica.process = std::make_unique<testing::Process>(
        std::vector<std::string>{"/usr/bin/env", "-u", "FAIRWAY_ENVOY", program_, "--kubeconfig",
                                 (rig_.folder() / "kubeconfig").string(), "--xds-listen", "127.0.0.1:0",
                                 "--status-listen", "127.0.0.1:0", "--replica-listen", listen, "--addresses",
                                 testing::loopback_addresses, "--data", replica.data.string()},
        replica.log_path);
    return replica;
  }
  /// Returns the address where Envoys connect to a replica; empty: it does not serve them yet.
  static std::string xds_address(const Replica& replica) {
    const std::string log = replica.log(), word = "serving Envoys address=";
    const std::size_t at = log.find(word);
    return at == std::string::npos ? "" : log.substr(at + word.size(), log.find('\n', at) - at - word.size());
  }
  std::unique_ptr<TestEnvoy> connect(const Replica& replica, const std::string& node) {
    EXPECT_TRUE(eventually([&] { return !xds_address(replica).empty(); })) << replica.log();
    return std::make_unique<TestEnvoy>(api_, xds_address(replica), node, replica.data / "xds");
  }
  bool becomes(const std::string& programmed) const {
    return eventually([&] { return rig_.programmed("web") == programmed; });
  }
  /// Returns the number of Leases of replicas.
  std::size_t replicas() const {
    const auto all = rig_.client().list(leases, "");
    if (!all) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(
        all->items, [](const k8s::Dynamic& lease) { return !lease.label(replica_label).empty(); }));
  }
  void change_listeners(const std::string& port) {
    rig_.apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: shop}, "
        "spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], listeners: [{name: http, port: " +
        port + ", protocol: HTTP}]}}");
  }

  const std::string program_ =
      (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string();
  std::shared_ptr<const xds::EnvoyApi> api_;
  testing::GatewayRig rig_{program_, ""};
};

TEST_F(ReplicasTest, ProgrammedWaitsForTheEnvoysOfEachReplica) {
  const Replica leader = start("leader");
  const auto one = connect(leader, "one");
  ASSERT_TRUE(becomes("True Programmed")) << leader.log();
  const Replica other = start("other");
  auto two = connect(other, "two");
  ASSERT_TRUE(eventually([&] { return replicas() == 2; })) << other.log();
  ASSERT_TRUE(becomes("True Programmed")) << leader.log();
  // The Envoy of the leader has the change, the other says nothing.
  two->hold();
  change_listeners("8081");
  ASSERT_TRUE(eventually([&] { return two->has_something_to_say(); })) << other.log();
  ASSERT_TRUE(becomes("False Pending")) << leader.log();
  two->release();
  ASSERT_TRUE(becomes("True Programmed")) << leader.log() << other.log();
  // One without Envoys that ends in order is not waited for.
  const Replica third = start("third");
  ASSERT_TRUE(eventually([&] { return replicas() == 3; })) << third.log();
  third.process->end(SIGTERM);
  EXPECT_TRUE(eventually([&] { return replicas() == 2; })) << third.log();
  ASSERT_TRUE(becomes("True Programmed")) << leader.log();
  // Envoys that it did not start itself go on when their replica ends.
  two->hold();
  change_listeners("8082");
  ASSERT_TRUE(becomes("False Pending")) << leader.log();
  two.reset();
  other.process->end(SIGTERM);
  EXPECT_EQ(replicas(), 2U) << other.log();
  EXPECT_EQ(rig_.programmed("web"), "False Pending");
}

TEST_F(ReplicasTest, ANewLeaderWaitsForTheOthersAsTheOldOneDid) {
  const Replica first = start("first");
  ASSERT_TRUE(becomes("False Pending")) << first.log();
  const Replica second = start("second"), third = start("third");
  const auto two = connect(second, "two"), three = connect(third, "three");
  ASSERT_TRUE(eventually([&] { return replicas() == 3; })) << third.log();
  ASSERT_TRUE(becomes("True Programmed")) << first.log();
  two->hold();
  three->hold();
  first.process->end(SIGTERM);
  change_listeners("8081");
  ASSERT_TRUE(eventually([&] { return two->has_something_to_say() && three->has_something_to_say(); }));
  ASSERT_TRUE(becomes("False Pending")) << second.log() << third.log();
  two->release();
  ASSERT_TRUE(eventually([&] { return !two->has_something_to_say(); }));
  EXPECT_EQ(rig_.programmed("web"), "False Pending");
  three->release();
  EXPECT_TRUE(becomes("True Programmed")) << second.log() << third.log();
}

TEST_F(ReplicasTest, OneThatIsKilledCountsUntilItsLeaseEnds) {
  const Replica leader = start("leader");
  const auto one = connect(leader, "one");
  ASSERT_TRUE(becomes("True Programmed")) << leader.log();
  Replica other = start("other");
  const auto two = connect(other, "two");
  ASSERT_TRUE(eventually([&] { return replicas() == 2; })) << other.log();
  ASSERT_TRUE(becomes("True Programmed")) << leader.log();
  other.process->end(SIGKILL);
  change_listeners("8081");
  EXPECT_TRUE(becomes("False Pending")) << leader.log();
  EXPECT_EQ(replicas(), 2U);
}

TEST_F(ReplicasTest, OneThatCannotBeHeardDoesNotLead) {
  const auto taken = testing::named_backend("another program");
  const Replica silent = start("silent", "127.0.0.1:" + std::to_string(taken->port()));
  ASSERT_TRUE(eventually([&] { return !xds_address(silent).empty(); })) << silent.log();
  const Replica good = start("good");
  const auto one = connect(good, "one");
  EXPECT_TRUE(becomes("True Programmed")) << good.log() << silent.log();
}

}  // namespace
}  // namespace fairway::gateway
