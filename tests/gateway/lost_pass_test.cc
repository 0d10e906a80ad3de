// SPDX-License-Identifier: Apache-2.0

// A pass that ends with an exception takes nothing from Envoys, then or later.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "apiserver/server.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/metrics.h"
#include "gateway/controller.h"
#include "kube/client/client.h"
#include "kube/controller/manager.h"
#include "support/eventually.h"
#include "support/temp_directory.h"
#include "testing/api_server.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

/// The machine's clock, except that reading the time of day fails once. Only passes read it here.
class FailingClock final : public Clock {
 public:
  WallTime now() const override {
    if (fails.exchange(false)) {
      has_failed = true;
      throw std::runtime_error("the time of day is not known");
    }
    return Clock::system().now();
  }
  SteadyTime steady() const override { return Clock::system().steady(); }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    return Clock::system().wait_until(until, std::move(stop));
  }

  mutable std::atomic<bool> fails = false, has_failed = false;
};

std::string shop(const std::string& name, const std::string& address) {
  return R"(
apiVersion: v1
kind: Service
metadata: {name: )" +
         name + R"(, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: )" +
         name + R"(-1, namespace: default, labels: {kubernetes.io/service-name: )" + name + R"(}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: [)" +
         address + R"(], conditions: {ready: true}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: )" +
         name + R"(, namespace: default}
spec:
  parentRefs: [{name: web}]
  hostnames: [)" +
         name + R"(.example.com]
  rules: [{backendRefs: [{name: )" +
         name + R"(, port: 80}]}]
)";
}

/// A controller in this process, with a Gateway and a route that lead to one cluster.
class LostPass : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    auto server = apiserver::EmbeddedServer::start();
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    apply(read_file(FAIRWAY_SOURCE_DIR "/examples/cluster/gateway/definitions.yaml").value_or(""));
    apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: default}
spec: {gatewayClassName: fairway, listeners: [{name: http, port: 8000, protocol: HTTP}]}
)");
    apply(shop("cart", "203.0.113.1"));
    auto client = testing::client_with(*server_, server_->admin(), {.clock = &clock_});
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
    auto controller = GatewayController::create(
        {.addresses = "198.51.100.0/24", .xds_socket = folder_ / "xds", .registry = &registry_});
    ASSERT_TRUE(controller) << controller.error().message;
    controller_ = *std::move(controller);
    manager_ = std::make_unique<kube::Manager>(client_);
    controller_->add_to(*manager_);
    running_ = std::jthread([this](const std::stop_token& stop) { EXPECT_TRUE(manager_->run(stop)); });
    ASSERT_TRUE(eventually([&] { return clusters() == 1 && has_passed(1); }));
  }

  void apply(const std::string& text) {
    const auto applied = server_->apply(text, "test");
    ASSERT_TRUE(applied) << applied.error().message;
    server_->wait_until_current();
  }
  /// Returns whether there have been this many passes over objects.
  bool has_passed(int times) const {
    const std::string line = "fairway_gateway_passes_total{over=\"objects\"} " + std::to_string(times) + "\n";
    return registry_.text().find(line) != std::string::npos;
  }
  std::size_t clusters() const { return controller_->xds_server().served(xds::Type::cluster); }

  const testing::TempDirectory folder_;
  FailingClock clock_;
  metrics::Registry registry_;
  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
  std::unique_ptr<GatewayController> controller_;
  std::unique_ptr<kube::Manager> manager_;
  std::jthread running_;
};

TEST_F(LostPass, TakesNothingFromEnvoys) {
  clock_.fails = true;
  apply(shop("books", "203.0.113.2"));
  ASSERT_TRUE(eventually([&] { return clock_.has_failed.load(); }));
  EXPECT_TRUE(eventually([&] { return clusters() == 2; })) << clusters();
}

TEST_F(LostPass, IsTriedAgainAlsoWhereEnvoysAloneWereAsked) {
  const k8s::GroupVersionResource gateways{"gateway.networking.k8s.io", "v1", "gateways"};
  // What was said of Ready asks for a whole pass, whatever an Envoy says.
  const auto status = json::parse(
      R"({"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "",
          "lastTransitionTime": "2026-01-01T00:00:00Z"}]}})");
  ASSERT_TRUE(client_->patch(gateways, {"default", "web"}, k8s::PatchType::merge, *status, "status"));
  ASSERT_TRUE(eventually([&] { return has_passed(2); }));
  clock_.fails = true;
  controller_->set_leads(true);
  ASSERT_TRUE(eventually([&] { return clock_.has_failed.load(); }));
  EXPECT_TRUE(eventually([&] { return !has_passed(2); })) << "another one";
  apply(shop("books", "203.0.113.2"));
  EXPECT_TRUE(eventually([&] { return clusters() == 2; })) << clusters();
}

}  // namespace
}  // namespace fairway::gateway
