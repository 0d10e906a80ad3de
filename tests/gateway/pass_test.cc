// SPDX-License-Identifier: Apache-2.0

// What the controller says while Envoy has not answered, or has refused.
#include "gateway/internal/run_pass.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "gateway/fake_envoys.h"
#include "gateway/internal/status/status.h"
#include "gateway/internal/translation/shards.h"
#include "k8s/documents.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using State = xds::Acknowledgement::State;

constexpr const char* shop = R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway, generation: 1},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, generation: 3}
spec:
  gatewayClassName: fairway
  listeners:
  - {name: a, port: 80, protocol: HTTP}
  - {name: b, port: 8080, protocol: HTTP}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop, generation: 1}
spec:
  parentRefs: [{name: web, sectionName: a}]
  rules: [{backendRefs: [{name: cart, port: 80}]}]
---
{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: cart-1, namespace: shop, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{port: 8080, protocol: TCP, name: ""}]
endpoints: [{addresses: [203.0.113.1], conditions: {ready: true}}]
)";

class PassTest : public ::testing::Test {
 protected:
  std::unique_ptr<Pass> run(const std::string& text = shop) {
    Objects objects;
    const auto documents = k8s::read_documents(text);
    for (const k8s::Document& document : *documents) objects.add(*k8s::Dynamic::from(document.value));
    return run_pass({.objects = std::move(objects), .pool = *AddressPool::parse("198.51.100.0/30")}, memory,
                    envoys);
  }
  /// Returns Programmed of the Gateway, or of one of its listeners: "Programmed=True Programmed: ...".
  static std::string programmed(const Pass& pass, std::string_view listener = {}) {
    const FakeClock clock;
    for (const Report& report : pass.reports) {
      if (report.object->kind() != "Gateway") continue;
      const k8s::Dynamic now = with_status(report, clock);
      if (listener.empty()) return text_of(now.items<k8s::Condition>("status.conditions"));
      for (const k8s::View& one : now.items("status.listeners")) {
        if (one.text("name") == listener) return text_of(one.items<k8s::Condition>("conditions"));
      }
    }
    return "no such report";
  }
  static std::string text_of(const std::vector<k8s::Condition>& conditions) {
    for (const k8s::Condition& one : conditions) {
      if (one.type() == "Programmed") {
        return std::string(to_string(one.status())) + " " + std::string(one.reason()) + ": " +
               std::string(one.message());
      }
    }
    return "none";
  }
  /// Returns the conditions of a route's only parent, without ResolvedRefs: "Accepted=True Accepted: ...;
  /// ...".
  static std::string said_of(const Pass& pass, std::string_view route) {
    const FakeClock clock;
    std::string text;
    for (const Report& report : pass.reports) {
      if (report.object->kind() != "HTTPRoute" || report.object->name() != route) continue;
      const k8s::Dynamic now = with_status(report, clock);
      for (const k8s::View& one : now.items("status.parents")) {
        for (const k8s::Condition& condition : one.items<k8s::Condition>("conditions")) {
          if (condition.type() == "ResolvedRefs") continue;
          text += std::string(text.empty() ? "" : "; ") + std::string(condition.type()) + "=" +
                  std::string(to_string(condition.status())) + " " + std::string(condition.reason()) + ": " +
                  std::string(condition.message());
        }
      }
    }
    return text;
  }
  static bool is_waiting(const Pass& pass, std::string_view kind) {
    return std::ranges::any_of(pass.waiting, [&](const auto& one) { return one.first->kind() == kind; });
  }

  FakeEnvoys envoys;
  Memory memory;
};

TEST_F(PassTest, ServesEndpointsApartFromTheirClusters) {
  run();
  const xds::ResourceName cluster{xds::Type::cluster, "shop/cart:80"},
      endpoints{xds::Type::endpoints, "shop/cart:80"};
  ASSERT_TRUE(envoys.served.contains(cluster));
  EXPECT_EQ(envoys.served[cluster].rest().at("type"), "EDS");
  EXPECT_FALSE(envoys.served[cluster].rest().contains("load_assignment"));
  ASSERT_TRUE(envoys.served.contains(endpoints));
  EXPECT_EQ(envoys.served[endpoints].rest().at("cluster_name"), "shop/cart:80");
  EXPECT_TRUE(envoys.served.contains({xds::Type::listener, "198.51.100.1:80/tcp"}));
  EXPECT_TRUE(envoys.served.contains({xds::Type::route, "198.51.100.1:8080/tcp#shop/web"}));
}

TEST_F(PassTest, EveryResourceIsAMessageOfEnvoy) {
  const auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  run();
  for (const auto& [name, resource] : envoys.served) {
    const auto bytes = (*api)->encode(xds::message_of(name.type), resource.json());
    EXPECT_TRUE(bytes) << name.name << ": " << bytes.error().message;
  }
}

TEST_F(PassTest, AGatewayIsProgrammedOnceEverythingIsAcknowledged) {
  const auto pass = run();
  EXPECT_EQ(programmed(*pass), "True Programmed: Envoy serves this configuration");
  EXPECT_EQ(programmed(*pass, "a"), "True Programmed: Envoy serves this configuration");
  EXPECT_TRUE(pass->waiting.empty());
  EXPECT_EQ(memory.previous.ours, (std::set<k8s::Key>{{"shop", "web"}}));
}

TEST_F(PassTest, EachResourceThatIsPendingKeepsItsPortFromBeingProgrammed) {
  for (const xds::ResourceName& name : {xds::ResourceName{xds::Type::listener, "198.51.100.1:80/tcp"},
                                        xds::ResourceName{xds::Type::route, "198.51.100.1:80/tcp#shop/web"},
                                        xds::ResourceName{xds::Type::cluster, "shop/cart:80"},
                                        xds::ResourceName{xds::Type::endpoints, "shop/cart:80"}}) {
    envoys.answers = {{name, {.state = State::pending}}};
    const auto pass = run();
    const std::string pending = "False Pending: not every Envoy has acknowledged the configuration: ";
    EXPECT_TRUE(programmed(*pass).starts_with(pending)) << programmed(*pass);
    EXPECT_TRUE(programmed(*pass).ends_with(" " + name.name)) << programmed(*pass);
    EXPECT_EQ(programmed(*pass, "a"), programmed(*pass));
    EXPECT_EQ(programmed(*pass, "b"), "True Programmed: Envoy serves this configuration");
    EXPECT_TRUE(is_waiting(*pass, "Gateway"));
    EXPECT_TRUE(is_waiting(*pass, "HTTPRoute"));
  }
}

TEST_F(PassTest, ARefusalIsSaidInEnvoysWords) {
  envoys.answers = {{{xds::Type::route, "198.51.100.1:80/tcp#shop/web"}, {State::refused, "no\nsuch header"}},
                    {{xds::Type::listener, "198.51.100.1:8080/tcp"}, {.state = State::pending}}};
  const auto pass = run();
  EXPECT_EQ(programmed(*pass), "False Invalid: Envoy refuses it: no\\nsuch header");
  EXPECT_EQ(programmed(*pass, "a"), "False Invalid: Envoy refuses it: no\\nsuch header");
  EXPECT_EQ(
      programmed(*pass, "b"),
      "False Pending: not every Envoy has acknowledged the configuration: Listener 198.51.100.1:8080/tcp");
}

TEST_F(PassTest, WhatEnvoyRefusesOfARouteIsSaidOfItsRules) {
  const std::string routes = R"(
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: books, namespace: shop, generation: 1}
spec:
  parentRefs: [{name: web, sectionName: a}]
  hostnames: [books.example, old.example]
  rules:
  - {matches: [{path: {value: /}}], backendRefs: [{name: cart, port: 80}]}
  - name: search
    matches: [{path: {value: /search}}, {path: {type: Exact, value: /find}}]
    backendRefs: [{name: cart, port: 80}]
)";
  const xds::ResourceName table{xds::Type::route, "198.51.100.1:80/tcp#shop/web"};
  const auto refuse = [&](std::vector<xds::RefusedPart> parts) {
    envoys.answers = {{table, {.state = State::acknowledged, .parts = std::move(parts)}}};
  };
  const std::string accepted = "Accepted=True Accepted: served on a";
  refuse({});
  const auto first = run(shop + routes);
  EXPECT_EQ(said_of(*first, "books"), accepted);
  // In a virtual host: what is exact, the longer prefix, the rest of it, and the route of all hostnames.
  refuse({{.host = "books.example", .route = 1, .message = "no\nsuch regex"},
          {.host = "old.example", .route = 1, .message = "no\nsuch regex"}});
  const auto again = run_pass_again(*first, memory, envoys);
  EXPECT_EQ(said_of(*again, "books"),
            accepted +
                "; PartiallyInvalid=True UnsupportedValue: Dropped Rule: rule 2 (search): Envoy refuses it: "
                "no\\nsuch regex");
  EXPECT_EQ(said_of(*again, "cart"), accepted);
  EXPECT_EQ(programmed(*again), "True Programmed: Envoy serves this configuration");
  EXPECT_EQ(programmed(*again, "a"), "True Programmed: Envoy serves this configuration");

  refuse({{.host = "books.example", .route = 0, .message = "x"},
          {.host = "books.example", .route = 1, .message = "y"},
          {.host = "books.example", .route = 2, .message = "z"}});
  const auto none = run(shop + routes);
  EXPECT_EQ(
      said_of(*none, "books"),
      "Accepted=False UnsupportedValue: rule 1: Envoy refuses it: z; rule 2 (search): Envoy refuses it: x");
  EXPECT_EQ(said_of(*none, "cart"), accepted);

  // The route of all hostnames stands in each.
  refuse({{.host = "old.example", .route = 3, .message = "w"}});
  const auto other = run_pass_again(*none, memory, envoys);
  EXPECT_EQ(said_of(*other, "books"), accepted);
  EXPECT_EQ(said_of(*other, "cart"), "Accepted=False UnsupportedValue: rule 1: Envoy refuses it: w");

  refuse({{.host = "old.example", .route = {}, .message = "no such domain"}});
  const auto host = run(shop + routes);
  EXPECT_EQ(
      said_of(*host, "books"),
      accepted +
          "; PartiallyInvalid=True UnsupportedValue: Dropped Rules: rule 1: Envoy refuses its hostname: no "
          "such domain; rule 2 (search): Envoy refuses its hostname: no such domain");
  refuse({});
  EXPECT_EQ(said_of(*run_pass_again(*host, memory, envoys), "books"), accepted);
}

TEST_F(PassTest, RoutesThatEnvoysAskForSinceAreServedBeforeAnyObjectChanges) {
  std::string text = shop;
  for (std::size_t i = 0; i < least_sharded; ++i) {
    const std::string name = "r" + std::to_string(i);
    text += "---\n{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
            ", namespace: shop}, spec: {parentRefs: [{name: web, sectionName: a}], hostnames: [" + name +
            ".example], rules: [{backendRefs: [{name: cart, port: 80}]}]}}\n";
  }
  const auto first = run(text);
  const std::string table = "198.51.100.1:80/tcp#shop/web";
  ASSERT_FALSE(envoys.served.contains({xds::Type::route, table}));
  // What it was given is no news.
  envoys.asked_for = {table + "~07", "198.51.100.1:8080/tcp#shop/web"};
  auto again = run_pass_again(*first, memory, envoys);
  ASSERT_NE(again, nullptr);
  // A connection from before has the table.
  envoys.asked_for.insert(table);
  EXPECT_EQ(run_pass_again(*again, memory, envoys), nullptr);
  const auto whole = run(text);
  EXPECT_TRUE(envoys.served.contains({xds::Type::route, table}));
  // Of what is nowhere it is known after one pass.
  envoys.asked_for.insert("198.51.100.9:80/tcp#shop/gone");
  EXPECT_EQ(run_pass_again(*whole, memory, envoys), nullptr);
  const auto last = run(text);
  EXPECT_NE(run_pass_again(*last, memory, envoys), nullptr);
}

TEST_F(PassTest, WithoutEnvoyNothingIsProgrammed) {
  envoys.otherwise = State::unconnected;
  EXPECT_EQ(programmed(*run()), "False Pending: no Envoy is connected");
}

TEST_F(PassTest, AnHttpsListenerNeedsItsRoutesAndItsCertificate) {
  const auto secrets = read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml");
  ASSERT_TRUE(secrets);
  std::string text = shop;
  const std::string old = "{name: b, port: 8080, protocol: HTTP}";
  text.replace(text.find(old), old.size(),
               "{name: b, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: shop-tls}]}}");
  text += "---\n" + *secrets;
  // A name that no string holds without memory of its own.
  const std::string certificate = "certificate-of-the-shop-and-of-all-its-branches";
  for (std::size_t at = text.find("shop-tls"); at != std::string::npos; at = text.find("shop-tls", at))
    text.replace(at, 8, certificate);
  EXPECT_TRUE(programmed(*run(text), "b").starts_with("True")) << programmed(*run(text), "b");
  for (const xds::ResourceName& name : {xds::ResourceName{xds::Type::secret, "shop/" + certificate},
                                        {xds::Type::route, "198.51.100.1:443/tcp#shop/web/b"}}) {
    ASSERT_TRUE(envoys.served.contains(name)) << name.name;
    envoys.answers = {{name, {.state = State::pending}}};
    EXPECT_TRUE(programmed(*run(text), "b").starts_with("False Pending")) << name.name;
    EXPECT_TRUE(programmed(*run(text), "a").starts_with("True")) << name.name;
  }
}

TEST_F(PassTest, ACertificateThatEnvoyRefusesIsThatOfItsListenerAlone) {
  const auto secrets = read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml");
  ASSERT_TRUE(secrets);
  std::string text = shop;
  const std::string old = "{name: b, port: 8080, protocol: HTTP}";
  text.replace(
      text.find(old), old.size(),
      "{name: b, port: 443, protocol: HTTPS, hostname: b.example.com, tls: {certificateRefs: [{name: "
      "shop-tls}]}}\n  - {name: c, port: 443, protocol: HTTPS, hostname: c.example.com, tls: "
      "{certificateRefs: [{name: wild-tls}]}}");
  text += "---\n" + *secrets;
  envoys.answers = {
      {{xds::Type::secret, "shop/wild-tls"}, {.state = State::refused, .message = "no such curve"}}};
  const auto pass = run(text);
  EXPECT_TRUE(programmed(*pass, "b").starts_with("True")) << programmed(*pass, "b");
  EXPECT_EQ(programmed(*pass, "c"), "False Invalid: Envoy refuses it: no such curve");
  EXPECT_EQ(programmed(*pass), "False Invalid: Envoy refuses it: no such curve");
  envoys.answers.clear();
  const auto again = run_pass_again(*pass, memory, envoys);
  EXPECT_TRUE(programmed(*again, "c").starts_with("True")) << programmed(*again, "c");
}

TEST_F(PassTest, NobodyIsSpokenToInTheClearWhereAPolicyAsksForTls) {
  const std::string policy =
      "\n---\n{apiVersion: gateway.networking.k8s.io/v1, kind: BackendTLSPolicy, metadata: {name: p, "
      "namespace: shop}, spec: {targetRefs: [{group: '', kind: Service, name: cart}], validation: {hostname: "
      "a.example, wellKnownCACertificates: System}}}\n";
  run(shop + policy);
  EXPECT_FALSE(envoys.served.contains({xds::Type::cluster, "shop/cart:80"}));
  const xds::ResourceName safe{xds::Type::cluster, "shop/cart:80:tls"};
  ASSERT_TRUE(envoys.served.contains(safe));
  EXPECT_TRUE(envoys.served[safe].rest().contains("transport_socket"));

  std::string broken = policy;
  broken.replace(broken.find("System"), 6, "Nobody");
  run(shop + broken);
  EXPECT_FALSE(envoys.served.contains({xds::Type::cluster, "shop/cart:80"}));
  EXPECT_FALSE(envoys.served.contains(safe));
}

TEST_F(PassTest, AGatewayGetsAnAddressOfThePoolWhileThereIsOne) {
  std::string text = shop;
  for (const char* name : {"web2", "web3"}) {
    text += std::string("---\n{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: ") +
            name +
            ", namespace: shop}, spec: {gatewayClassName: fairway, listeners: [{name: a, port: 80, "
            "protocol: HTTP}]}}\n";
  }
  const auto pass = run(text);
  const FakeClock clock;
  std::map<std::string, std::string> found;
  for (const Report& report : pass->reports) {
    if (report.object->kind() != "Gateway") continue;
    const k8s::Dynamic now = with_status(report, clock);
    const auto addresses = now.items("status.addresses");
    found[std::string(now.name())] = addresses.empty()
                                         ? text_of(now.items<k8s::Condition>("status.conditions"))
                                         : std::string(addresses.at(0).text("value"));
  }
  EXPECT_EQ(found["web"], "198.51.100.1");
  EXPECT_EQ(found["web2"], "198.51.100.2");
  EXPECT_TRUE(found["web3"].starts_with("False AddressNotAssigned")) << found["web3"];
}

}  // namespace
}  // namespace fairway::gateway
