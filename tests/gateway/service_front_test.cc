// SPDX-License-Identifier: Apache-2.0

// In a cluster: Gateways that name no address have those of the Service that the parameters name.
#include <gtest/gtest.h>

#include "gateway/fake_envoys.h"
#include "gateway/internal/run_pass.h"
#include "gateway/internal/status/status.h"
#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

constexpr const char* cluster = R"(
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec:
  controllerName: fairway.dev/gateway
  parametersRef: {group: fairway.dev, kind: GatewayParameters, name: settings, namespace: infra}
---
{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: settings, namespace: infra},
 spec: {service: {name: front}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  gatewayClassName: fairway
  listeners:
  - {name: http, port: 80, protocol: HTTP}
  - {name: other, port: 81, protocol: HTTP}
  - {name: dns, port: 80, protocol: UDP}
)";

constexpr const char* balanced = R"(---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: infra}
spec: {type: LoadBalancer, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 80}, {port: 443}]}
status: {loadBalancer: {ingress: [{ip: 203.0.113.7}, {hostname: lb.example}]}}
)";

class ServiceFrontTest : public ::testing::Test {
 protected:
  /// Runs a pass. Returns the Gateways with their statuses.
  std::map<std::string, k8s::Dynamic> run(const std::string& text) {
    Objects objects;
    const auto documents = k8s::read_documents(text);
    for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
    Memory memory;
    const auto pass = run_pass({.objects = std::move(objects),
                                .pool = AddressPool::parse("198.51.100.0/30").value(),
                                .endpoints = {.own_listeners = own_listeners_}},
                               memory, envoys_);
    std::map<std::string, k8s::Dynamic> gateways;
    for (const Report& report : pass->reports) {
      if (report.object->kind() == "Gateway")
        gateways.emplace(report.object->name(), with_status(report, FakeClock()));
    }
    return gateways;
  }
  static std::string condition(const k8s::View& entry, const std::string& type,
                               std::string_view path = "status.conditions") {
    const auto found = k8s::find_condition(entry, type, path);
    if (!found) return "none";
    return std::string(to_string(found->status())) + " " + std::string(found->reason()) + ": " +
           std::string(found->message());
  }
  static std::string addresses(const k8s::Dynamic& gateway) {
    std::string text;
    for (const k8s::View& one : gateway.items("status.addresses"))
      text += std::string(one.text("type")) + " " + std::string(one.text("value")) + " ";
    return text;
  }

  FakeEnvoys envoys_;
  OwnListeners own_listeners_;
};

TEST_F(ServiceFrontTest, ALoadBalancersAddressesAreTheGateways) {
  const auto web = run(std::string(cluster) + balanced).at("web");
  EXPECT_EQ(addresses(web), "IPAddress 203.0.113.7 Hostname lb.example ");
  EXPECT_TRUE(condition(web, "Programmed").starts_with("True")) << condition(web, "Programmed");
  EXPECT_TRUE(condition(web, "Accepted").starts_with("True ListenersNotValid")) << condition(web, "Accepted");
  ASSERT_TRUE(envoys_.served.contains({xds::Type::listener, "0.0.0.0:80/tcp"}));
  EXPECT_TRUE(envoys_.served.contains({xds::Type::route, "0.0.0.0:80/tcp#shop/web"}));
  EXPECT_FALSE(envoys_.served.contains({xds::Type::listener, "0.0.0.0:81/tcp"}));
  const auto listeners = web.items("status.listeners");
  EXPECT_EQ(condition(listeners.at(1), "Accepted", "conditions"),
            "False PortUnavailable: Service infra/front has no port 81 for it");
  EXPECT_EQ(condition(listeners.at(2), "Accepted", "conditions"),
            "False PortUnavailable: Service infra/front has no port 80 for it");
}

TEST_F(ServiceFrontTest, APortOfTheControllerIsNoGateways) {
  // Envoy listens on all addresses of the Pod, and the controller on one.
  for (const char* address : {"", "127.0.0.1", "10.1.2.3"}) {
    own_listeners_.listeners = {{.flag = "--status-listen", .address = address, .port = 80}};
    const auto web = run(std::string(cluster) + balanced).at("web");
    EXPECT_EQ(condition(web.items("status.listeners").at(0), "Accepted", "conditions"),
              "False PortUnavailable: port 80 of 0.0.0.0 belongs to the controller's own --status-listen");
    EXPECT_FALSE(envoys_.served.contains({xds::Type::listener, "0.0.0.0:80/tcp"}));
  }
}

TEST_F(ServiceFrontTest, NoEndpointLeadsBackToTheEnvoysBehindIt) {
  own_listeners_ = {.listeners = {{.flag = "--status-listen", .address = "", .port = 8081}},
                    .machine = {*AddressRange::parse("10.9.0.1")}};
  const auto endpoints = [](const std::string& service, const std::string& in, const std::string& addresses,
                            const std::string& port) {
    return "---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: " + service +
           "-1, namespace: " + in + ", labels: {kubernetes.io/service-name: " + service +
           "}}\naddressType: IPv4\nports: [{name: \"\", protocol: TCP, port: " + port +
           "}]\nendpoints: [{addresses: [" + addresses + "]}]\n";
  };
  const std::string route = R"(---
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: cart, port: 80}]}]}
)";
  const auto is_served = [&](const std::string& address, const std::string& port) {
    run(std::string(cluster) + balanced + endpoints("front", "infra", "10.9.0.1, 10.9.0.2", "80") + route +
        endpoints("cart", "shop", address, port));
    const auto& given = envoys_.served.at({xds::Type::endpoints, "shop/cart:80"});
    return json::to_text(given.json()).find('"' + address + '"') != std::string::npos;
  };
  EXPECT_FALSE(is_served("10.9.0.1", "80")) << "this Pod";
  EXPECT_FALSE(is_served("10.9.0.2", "80")) << "another replica";
  EXPECT_FALSE(is_served("10.0.0.1", "80")) << "the Service's address in the cluster";
  EXPECT_FALSE(is_served("203.0.113.7", "80")) << "the load balancer's";
  EXPECT_FALSE(is_served("10.9.0.2", "8081")) << "another replica's own port";
  EXPECT_TRUE(is_served("10.9.0.2", "8080"));
  EXPECT_TRUE(is_served("10.9.0.3", "80"));
}

TEST_F(ServiceFrontTest, ATenantsServiceLeavesNoEndpointOut) {
  // The Gateway's own parameters name it: whoever writes them may write its EndpointSlices, too.
  const std::string text = R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway}, spec: {controllerName: fairway.dev/gateway}}
---
{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: own, namespace: thief}, spec: {service: {name: front}}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: thief}
spec:
  gatewayClassName: fairway
  infrastructure: {parametersRef: {group: fairway.dev, kind: GatewayParameters, name: own}}
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
---
{apiVersion: v1, kind: Service, metadata: {name: front, namespace: thief}, spec: {clusterIP: 10.0.0.1, externalIPs: [10.9.0.5], ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: front-1, namespace: thief, labels: {kubernetes.io/service-name: front}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 80}]
endpoints: [{addresses: [10.9.0.5]}]
---
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 80}]
endpoints: [{addresses: [10.9.0.5]}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec: {parentRefs: [{name: web, namespace: thief}], rules: [{backendRefs: [{name: cart, port: 80}]}]}
)";
  run(text);
  EXPECT_TRUE(envoys_.served.contains({xds::Type::endpoints, "shop/cart:80"}));
}

TEST_F(ServiceFrontTest, OfAnotherTypeThoseInTheClusterAre) {
  std::string service = balanced;
  service.replace(service.find("LoadBalancer,"), 13, "ClusterIP,");
  EXPECT_EQ(addresses(run(cluster + service).at("web")), "IPAddress 10.0.0.1 ");
}

TEST_F(ServiceFrontTest, IsWaitedFor) {
  const auto gone = run(cluster).at("web");
  const std::string none = "False AddressNotAssigned: Service infra/front of the parameters does not exist";
  EXPECT_EQ(condition(gone, "Accepted"), none);
  EXPECT_EQ(condition(gone, "Programmed"), none);
  EXPECT_EQ(addresses(gone), "");
  std::string service = balanced;
  service.erase(service.find("status:"));
  const auto early = run(cluster + service).at("web");
  EXPECT_EQ(condition(early, "Programmed"),
            "False AddressNotAssigned: Service infra/front has no IPv4 address yet");
  EXPECT_TRUE(envoys_.served.empty());
}

TEST_F(ServiceFrontTest, APortIsTheOldestGateways) {
  const std::string second = R"(---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: till, namespace: shop, creationTimestamp: "2026-02-01T00:00:00Z"}
spec: {gatewayClassName: fairway, listeners: [{name: http, port: 80, protocol: HTTP}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: safe, namespace: shop, creationTimestamp: "2026-03-01T00:00:00Z"}
spec:
  gatewayClassName: fairway
  listeners: [{name: http, port: 80, protocol: HTTP}, {name: more, port: 443, protocol: HTTP}]
)";
  const auto gateways = run(std::string(cluster) + balanced + second);
  EXPECT_EQ(condition(gateways.at("till"), "Accepted"),
            "False NoResources: its ports of Service infra/front are taken");
  EXPECT_EQ(condition(gateways.at("till"), "Programmed"),
            "False NoResources: its ports of Service infra/front are taken");
  EXPECT_TRUE(condition(gateways.at("safe"), "Accepted").starts_with("True ListenersNotValid"));
  EXPECT_TRUE(envoys_.served.contains({xds::Type::listener, "0.0.0.0:443/tcp"}));
}

TEST_F(ServiceFrontTest, APortIsOneOfAllServicesBeforeAnEnvoy) {
  const std::string other = R"(---
{apiVersion: fairway.dev/v1alpha1, kind: GatewayParameters, metadata: {name: own, namespace: till},
 spec: {service: {name: mine}}}
---
apiVersion: v1
kind: Service
metadata: {name: mine, namespace: till}
spec: {type: ClusterIP, clusterIPs: [10.0.0.2], ports: [{port: 80}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: till, namespace: till, creationTimestamp: "2026-02-01T00:00:00Z"}
spec:
  gatewayClassName: fairway
  infrastructure: {parametersRef: {group: fairway.dev, kind: GatewayParameters, name: own}}
  listeners: [{name: http, port: 80, protocol: HTTP}]
)";
  const auto gateways = run(std::string(cluster) + balanced + other);
  EXPECT_EQ(condition(gateways.at("till"), "Accepted"),
            "False NoResources: its ports of Service till/mine are taken");
  EXPECT_TRUE(condition(gateways.at("web"), "Programmed").starts_with("True"));
  EXPECT_TRUE(envoys_.served.contains({xds::Type::route, "0.0.0.0:80/tcp#shop/web"}));
  EXPECT_FALSE(envoys_.served.contains({xds::Type::route, "0.0.0.0:80/tcp#till/till"}));
}

TEST_F(ServiceFrontTest, ListenersThatAreInvalidAreNotSaidToBeCrowdedOut) {
  std::string text = cluster;
  text.replace(text.find("  - {name: http"), std::string::npos,
               "  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: none}]}}\n");
  const auto web = run(text + balanced).at("web");
  EXPECT_TRUE(condition(web, "Accepted").starts_with("False ListenersNotValid"))
      << condition(web, "Accepted");
  EXPECT_TRUE(condition(web, "Programmed").starts_with("False Invalid")) << condition(web, "Programmed");
}

TEST_F(ServiceFrontTest, OnlyAddressesThatAreListenedAtArePublished) {
  std::string service = balanced;
  service.replace(service.find("LoadBalancer,"), 13, "ClusterIP,");
  service.replace(service.find("[10.0.0.1]"), 10, "[10.0.0.1, \"fd00::1\"]");
  EXPECT_EQ(addresses(run(cluster + service).at("web")), "IPAddress 10.0.0.1 ");
}

TEST_F(ServiceFrontTest, AnAddressOfItsOwnGoesFirst) {
  std::string text = cluster;
  text.insert(text.find("  listeners:"), "  addresses: [{value: 198.51.100.9}]\n");
  const auto web = run(text).at("web");
  EXPECT_EQ(addresses(web), "IPAddress 198.51.100.9 ");
  EXPECT_TRUE(envoys_.served.contains({xds::Type::listener, "198.51.100.9:81/tcp"}));
}

TEST_F(ServiceFrontTest, IsOfTheNamespaceOfTheParameters) {
  std::string text = cluster;
  text.replace(text.find("{name: front}"), 13, "{name: front, namespace: shop}");
  const auto web = run(text + balanced).at("web");
  EXPECT_TRUE(condition(web, "Accepted").starts_with("Unknown Pending")) << condition(web, "Accepted");
  EXPECT_NE(condition(web, "Accepted").find("must have the name of a Service of its namespace"),
            std::string::npos)
      << condition(web, "Accepted");
}

}  // namespace
}  // namespace fairway::gateway
