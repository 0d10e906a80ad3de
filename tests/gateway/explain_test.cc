// SPDX-License-Identifier: Apache-2.0

// Where a route is served, why not elsewhere, and what Envoy is given.
#include "gateway/explain.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"

namespace fairway::gateway {
namespace {

constexpr const char* shop = R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, generation: 3}
spec:
  gatewayClassName: fairway
  listeners:
  - {name: a, port: 80, protocol: HTTP, hostname: "*.example.com"}
  - {name: b, port: 80, protocol: HTTP, hostname: example.org}
  - {name: c, port: 81, protocol: HTTP, allowedRoutes: {kinds: [{kind: GRPCRoute}]}}
  - {name: d, port: 82, protocol: TCP}
  - {name: e, port: 83, protocol: HTTPS, tls: {certificateRefs: [{name: shop-tls}]}}
status:
  listeners:
  - name: a
    conditions: [{type: Programmed, status: "True", reason: Programmed, message: "Envoy serves\nit", observedGeneration: 2}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop}
spec:
  parentRefs: [{name: web}]
  hostnames: [shop.example.com]
  rules:
  - backendRefs: [{name: gone, port: 80}]
  - matches: [{path: {type: RegularExpression, value: "("}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: partly, namespace: shop, generation: 2}
spec:
  parentRefs: [{name: web, sectionName: a}, {name: web, sectionName: b}]
  rules: [{}, {name: search, matches: [{path: {type: RegularExpression, value: "/[a-z]{1,60}"}}]}]
status:
  parents:
  - parentRef: {name: web, sectionName: a}
    controllerName: another.example/gateway
    conditions: [{type: Accepted, status: "False", reason: Pending, message: not ours, observedGeneration: 2}]
  - parentRef: {group: gateway.networking.k8s.io, kind: Gateway, namespace: shop, name: web, sectionName: b}
    controllerName: fairway.dev/gateway
    conditions:
    - {type: Accepted, status: "True", reason: Accepted, message: served on b, observedGeneration: 2}
    - {type: PartiallyInvalid, status: "True", reason: UnsupportedValue, observedGeneration: 2,
       message: "Dropped Rule: rule 2 (search): Envoy refuses it: RE2 program size"}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: one-port, namespace: shop}
spec: {parentRefs: [{name: web, port: 81}, {name: web, sectionName: a}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: elsewhere, namespace: store}
spec: {parentRefs: [{name: other}], rules: [{backendRefs: [{name: cart, port: 80}]}]}
)";

class Explain : public ::testing::Test {
 protected:
  static std::string of(const std::string& route) {
    const auto secrets = read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml");
    const auto text = explain({{"shop.yaml", shop}, {"secrets.yaml", secrets.value_or("")}}, route,
                              *parse_time("2027-01-01T00:00:00Z"));
    return text ? *text : std::string(to_string(text.error().code)) + ": " + text.error().message;
  }
};

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\nin order in\n" << text;
    at = found + part.size();
  }
}

TEST_F(Explain, SaysForEachListenerWhereARouteIsServedAndWhyNot) {
  const std::string text = of("shop/cart");
  expect_parts(text,
               {"HTTPRoute shop/cart\n", "  dropped: UnsupportedValue: ", "  unresolved: BackendNotFound: ",
                "  parent Gateway shop/web\n", "    listener a: HTTP on port 80 for *.example.com\n",
                "      served for shop.example.com\n",
                "      status: Programmed=True Programmed: Envoy serves\\nit (of an older generation)\n",
                "      Envoy is given:\n", "\"name\": \"shop/web:80/tcp\"", "\"name\": \"shop.example.com\"",
                "    listener b: HTTP on port 80 for example.org\n",
                "      not served: its hostname example.org has no name in common with the route's\n",
                "    listener c: ", "      not served: it allows no routes of the kind HTTPRoute\n",
                "    listener d: ", "      not served: it allows no routes of the kind HTTPRoute\n",
                "    listener e: HTTPS on port 83\n", "\"name\": \"shop/web:83/tcp#e\""});
  EXPECT_EQ(text.find("private_key"), std::string::npos);
}

TEST_F(Explain, SaysWhatAParentRefLeavesOut) {
  expect_parts(
      of("shop/one-port"),
      {"not served: the parentRef has the port 81", "it allows no routes of the kind",
       "listener a: ", "served for *.example.com", "not served: the parentRef has the sectionName a"});
}

TEST_F(Explain, SaysWhatEnvoyRefuses) {
  const std::string text = of("shop/partly");
  expect_parts(text,
               {"  parent Gateway shop/web\n    listener a: ", "  parent Gateway shop/web\n    status: ",
                "PartiallyInvalid=True UnsupportedValue: Dropped Rule: rule 2 (search): Envoy refuses it: "
                "RE2 program size\n    listener a: "});
  EXPECT_EQ(text.find("not ours"), std::string::npos);
}

TEST_F(Explain, KnowsRoutesOfOthersAndThoseThatAreNot) {
  EXPECT_EQ(of("store/elsewhere"),
            "TCPRoute store/elsewhere\n  no parentRef leads to a Gateway of this controller\n"
            "  parent Gateway store/other does not exist\n");
  EXPECT_TRUE(of("cart").starts_with("not_found: there is no route default/cart")) << of("cart");
}

}  // namespace
}  // namespace fairway::gateway
