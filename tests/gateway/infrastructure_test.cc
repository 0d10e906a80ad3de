// SPDX-License-Identifier: Apache-2.0

// What is created in the cluster for Gateways.
#include "gateway/internal/attachment/infrastructure.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

constexpr const char* web = R"(
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec: {controllerName: fairway.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, uid: "17"}
spec:
  gatewayClassName: fairway
  addresses: [{value: 198.51.100.1}, {value: "2001:db8::1"}, {value: 127.0.0.1}]
  infrastructure: {labels: {team: shop}, annotations: {note: hello}}
  listeners:
  - {name: a, port: 80, protocol: HTTP, hostname: a.example.com}
  - {name: b, port: 80, protocol: HTTP, hostname: b.example.com}
  - {name: c, port: 53, protocol: UDP}
  - {name: d, port: 90, protocol: HTTPS, tls: {certificateRefs: [{name: gone}]}}
)";

/// Returns the documents to apply as JSON, one a line.
std::string applied(const std::string& text) {
  const auto documents = k8s::read_documents(text);
  Objects objects;
  for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
  std::string out;
  for (const k8s::Dynamic& one : infrastructure_to_apply(
           objects,
           read_gateways(objects, {.now = {}, .listed_addresses = *AddressPool::parse("127.0.0.1")})))
    out += json::to_text(one.json()) + "\n";
  return out;
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  text.replace(text.find(old), old.size(), with);
  return text;
}

TEST(Infrastructure, IsAServiceAndTheAddressesBehindIt) {
  const std::string metadata =
      R"("namespace":"shop","labels":{"team":"shop","gateway.networking.k8s.io/gateway-name":"web")";
  const std::string owner =
      R"(,"annotations":{"note":"hello"},"ownerReferences":[{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","name":"web","uid":"17","controller":true}]})";
  const std::string slice_labels =
      R"(,"kubernetes.io/service-name":"web-fairway","endpointslice.kubernetes.io/managed-by":"fairway.dev"})";
  const std::string ports =
      R"("ports":[{"name":"tcp-80","port":80,"protocol":"TCP"},{"name":"udp-53","port":53,"protocol":"UDP"}])";
  const std::string text = applied(web);
  for (const std::string& part :
       {R"("kind":"Service","metadata":{"name":"web-fairway",)" + metadata + "}" + owner,
        R"("spec":{"clusterIP":"None",)" + ports + "}", slice_labels, owner,
        R"("addressType":"IPv4",)" + ports + R"(,"endpoints":[{"addresses":["198.51.100.1"])",
        R"("addressType":"IPv6",)" + ports + R"(,"endpoints":[{"addresses":["2001:db8::1"])",
        std::string(R"("name":"web-fairway-ipv6")")})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  EXPECT_EQ(text.find("127.0.0.1"), std::string::npos);
}

TEST(Infrastructure, IsNotAppliedAgain) {
  std::string there = web;
  const std::string defaulted = R"("protocol":"TCP")";
  for (std::string document = applied(web); !document.empty(); document.erase(0, document.find('\n') + 1)) {
    std::string line = document.substr(0, document.find('\n'));
    // As the server stores it: with more.
    line.replace(line.find(defaulted), defaulted.size(), defaulted + R"(,"targetPort":80)");
    there += "---\n" + line + "\n";
  }
  EXPECT_EQ(applied(there), "");
  // A change of the Gateway is a change of each.
  const std::string changed = applied(replaced(there, "team: shop", "team: till"));
  EXPECT_EQ(std::ranges::count(changed, '\n'), 3);
}

TEST(Infrastructure, OfOthersIsLeftAlone) {
  const std::string mine =
      "---\n{apiVersion: v1, kind: Service, metadata: {name: web-fairway, namespace: shop";
  EXPECT_EQ(applied(web + mine + "}}\n").find(R"("kind":"Service")"), std::string::npos);
  EXPECT_EQ(applied(web + mine + ", ownerReferences: [{uid: \"18\", controller: true}]}}\n")
                .find(R"("kind":"Service")"),
            std::string::npos);
  EXPECT_NE(applied(web + mine + ", ownerReferences: [{uid: \"17\", controller: true}]}}\n")
                .find(R"("kind":"Service")"),
            std::string::npos);
}

TEST(Infrastructure, IsForAcceptedGatewaysOfThisController) {
  EXPECT_EQ(applied(replaced(web, "gatewayClassName: fairway", "gatewayClassName: other")), "");
  EXPECT_EQ(applied(replaced(web, "{value: 198.51.100.1}", "{type: Hostname, value: a.example}")), "");
}

TEST(Infrastructure, HasANameThatServicesMayHave) {
  for (const char* name :
       {"web.shop", "9", "a-name-that-is-longer-than-the-name-of-a-service-can-be-at-most"}) {
    const std::string text = applied(replaced(web, "name: web,", "name: \"" + std::string(name) + "\","));
    EXPECT_NE(text.find(R"("kind":"Service","metadata":{"name":"gateway-)"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace fairway::gateway
