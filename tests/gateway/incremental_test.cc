// SPDX-License-Identifier: Apache-2.0

// A pass that goes by what the last ones found out says what a pass without that says: after each of many
// random changes. FAIRWAY_ROUNDS (100) is how many; FAIRWAY_SEED chooses others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "gateway/fake_envoys.h"
#include "gateway/internal/run_pass.h"
#include "gateway/internal/status/status.h"
#include "k8s/documents.h"
#include "support/setting.h"

namespace fairway::gateway {
namespace {

using fairway::testing::setting;
using State = xds::Acknowledgement::State;
using Shared = std::shared_ptr<const k8s::Dynamic>;

constexpr const char* base = R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway, generation: 1},
 spec: {controllerName: fairway.dev/gateway}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: depot, labels: {team: b}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: ca, namespace: shop}
data: {}
)";

/// Returns all results of a pass as texts, by their objects and resources.
std::map<std::string, std::string> words_of(const Pass& pass, const FakeEnvoys& envoys) {
  std::map<std::string, std::string> words;
  const FakeClock clock;
  for (const auto& [name, resource] : envoys.served)
    words[std::string(xds::message_of(name.type)) + " " + name.name] = json::to_text(resource.json());
  std::size_t place = 0;
  for (const Report& report : pass.reports) {
    const k8s::Dynamic now = with_status(report, clock);
    words["report " + std::to_string(place++)] = describe(now) + " " + now.to_text();
  }
  for (const auto& [object, gateways] : pass.waiting) {
    for (const k8s::Key& gateway : gateways)
      words["waiting " + describe(*object)] += gateway.to_string() + " ";
  }
  for (const auto& [object, parts] : pass.unready) {
    words["unready " + describe(*object)] = parts.itself ? "itself" : "";
    for (const std::string& listener : parts.listeners)
      words["unready " + describe(*object)] += " " + listener;
  }
  for (const k8s::Dynamic& document : pass.infrastructure)
    words["apply " + describe(document)] = document.to_text();
  return words;
}

class IncrementalTest : public ::testing::Test {
 protected:
  IncrementalTest() : random_(static_cast<std::uint32_t>(setting("FAIRWAY_SEED", 1))) {
    for (const std::string& text :
         {std::string(base), read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml").value()}) {
      const auto documents = k8s::read_documents(text).value();
      for (const k8s::Document& document : documents) put(*k8s::Dynamic::from(document.value));
    }
    for (int i = 0; i < 60; ++i) change();
  }

  int any(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  std::string one_of(const std::vector<std::string>& texts) {
    return texts[static_cast<std::size_t>(any(static_cast<int>(texts.size())))];
  }

  static std::string id(const k8s::Dynamic& object) { return describe(object); }
  /// Puts an object into the cluster with a uid and versions, as a server does.
  void put(k8s::Dynamic object) {
    if (object.kind() != "Namespace" && object.kind() != "GatewayClass" && object.namespace_name().empty())
      object.set_namespace_name("shop");
    object.set_resource_version(std::to_string(++version_));
    const auto before = cluster_.find(id(object));
    object.set("metadata.uid", before != cluster_.end() ? std::string(before->second->uid())
                                                        : "uid-" + std::to_string(version_));
    const auto now = std::make_shared<const k8s::Dynamic>(std::move(object));
    cluster_[id(*now)] = now;
    objects_.add(now);
  }
  void put(const std::string& text) {
    k8s::Dynamic object = *k8s::Dynamic::from(k8s::read_documents(text)->front().value);
    const auto before = cluster_.find(id(object));
    object.set("metadata.generation",
               json::Value(before != cluster_.end() ? before->second->generation() + 1 : 1));
    object.set("metadata.creationTimestamp",
               "2026-11-24T00:00:0" + std::to_string(object.name().size() % 7) + "Z");
    if (before != cluster_.end() && before->second->find("status") != nullptr)
      object.set("status", *before->second->find("status"));
    put(std::move(object));
  }
  void remove(const std::string& name) {
    const auto found = cluster_.find(name);
    if (found == cluster_.end()) return;
    const Shared gone = found->second;
    cluster_.erase(found);
    objects_.remove(*gone);
  }

  void change_route() {
    const std::string kind =
        one_of({"HTTPRoute", "HTTPRoute", "HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute"});
    const std::string in = one_of({"shop", "shop", "depot"}),
                      name = one_of({"r", "ro", "rou", "rout", "route"});
    if (any(5) == 0) return remove(kind + " " + in + "/" + name);
    std::string text = "{apiVersion: gateway.networking.k8s.io/v1, kind: " + kind +
                       ", metadata: {name: " + name + ", namespace: " + in +
                       "}, spec: {parentRefs: [{namespace: shop, name: " + one_of({"web", "web", "other"}) +
                       one_of({"", "", ", sectionName: a", ", port: 443"}) + "}]";
    if (kind != "TCPRoute")
      text += ", hostnames: " + one_of({"[]", "[a.example]", "['*.example']", "[b.a.example, c.example]",
                                        "['*.a.example', a.example]", "['bad name']"});
    text += ", rules: [";
    for (int i = any(2); i >= 0; --i) {
      if (kind == "HTTPRoute" && any(4) == 0) {
        text += "{filters: [{type: RequestRedirect, requestRedirect: {hostname: a.example}}]";
      } else {
        text += "{backendRefs: [{name: " + one_of({"cart", "cart", "stock", "none"}) +
                one_of({"", "", ", namespace: depot"}) + ", port: " + one_of({"80", "80", "81"}) + "}]";
        if (kind == "HTTPRoute")
          text += one_of(
              {"", ", matches: [{path: {value: /x}}]", ", filters: [{type: Odd}]",
               ", filters: [{type: RequestMirror, requestMirror: {backendRef: {name: stock, port: 80}}}]",
               ", filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: v, "
               "value: '" +
                   std::to_string(any(100)) + "'}]}}]"});
      }
      text += i > 0 ? "}, " : "}";
    }
    put(text + "]}}");
  }
  void change_gateway() {
    const std::string name = one_of({"web", "other"});
    if (any(6) == 0) return remove("Gateway shop/" + name);
    put("{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: " + name +
        ", namespace: shop}, spec: {gatewayClassName: " + one_of({"fairway", "fairway", "fairway", "gone"}) +
        one_of({"", "", ", addresses: [{value: 198.51.100.77}]"}) +
        ", listeners: [{name: a, port: 80, protocol: HTTP" + one_of({"", ", hostname: '*.example'"}) +
        one_of({"", ", allowedRoutes: {namespaces: {from: All}}",
                ", allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: a}}}}"}) +
        "}, {name: b, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: " +
        one_of({"shop-tls", "none"}) + "}]}}, {name: c, port: " + one_of({"9000", "80"}) +
        ", protocol: TCP}]}}");
  }
  void change_backend() {
    const std::string in = one_of({"shop", "depot"}), name = one_of({"cart", "stock"});
    switch (any(5)) {
      case 0:
        return remove("Service " + in + "/" + name);
      case 1:
        return remove("EndpointSlice " + in + "/" + name + "-1");
      case 2:
        return put("{apiVersion: v1, kind: Service, metadata: {name: " + name + ", namespace: " + in +
                   "}, spec: {ports: [{port: 80" + one_of({"", ", appProtocol: kubernetes.io/h2c"}) + "}]}}");
      default:
        return put(
            "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: " + name +
            "-1, namespace: " + in + ", labels: {kubernetes.io/service-name: " + name +
            "}}, addressType: IPv4, ports: [{port: 8080, protocol: TCP, name: ''}], endpoints: [{addresses: "
            "[203.0.113." +
            std::to_string(1 + any(3)) + "], conditions: {ready: " + one_of({"true", "true", "false"}) +
            "}}]}");
    }
  }
  void change_permission() {
    switch (any(4)) {
      case 0:
        return remove("ReferenceGrant depot/g");
      case 1:
        return put(
            "{apiVersion: gateway.networking.k8s.io/v1beta1, kind: ReferenceGrant, metadata: {name: g, "
            "namespace: "
            "depot}, spec: {from: [{group: gateway.networking.k8s.io, kind: " +
            one_of({"HTTPRoute", "GRPCRoute"}) + ", namespace: shop}], to: [{group: '', kind: Service}]}}");
      case 2:
        return put("{apiVersion: v1, kind: Namespace, metadata: {name: depot, labels: {team: " +
                   one_of({"a", "b"}) + "}}}");
      default:
        if (any(2) == 0) return remove("BackendTLSPolicy shop/p");
        return put(
            "{apiVersion: gateway.networking.k8s.io/v1, kind: BackendTLSPolicy, metadata: {name: p, "
            "namespace: "
            "shop}, spec: {targetRefs: [{group: '', kind: Service, name: cart}], validation: {hostname: " +
            one_of({"a.example", "b.example"}) +
            ", wellKnownCACertificates: " + one_of({"System", "Nobody"}) + "}}}");
    }
  }
  void change() {
    const int what = any(10);
    if (what < 5) return change_route();
    if (what < 7) return change_backend();
    return what < 9 ? change_permission() : change_gateway();
  }
  /// Changes the answers of Envoys on some types.
  void answer() {
    std::map<xds::Type, State> answers;
    if (any(2) == 0) answers[xds::types[static_cast<std::size_t>(any(5))]] = State::pending;
    if (any(4) == 0) answers[xds::types[static_cast<std::size_t>(any(5))]] = State::refused;
    envoys_.answers_by_type = fresh_envoys_.answers_by_type = std::move(answers);
  }
  /// Writes some of the pass's statuses to the cluster.
  void write(const Pass& pass) {
    const FakeClock clock;
    std::vector<k8s::Dynamic> written;
    for (const Report& report : pass.reports) {
      if (any(3) == 0) written.push_back(with_status(report, clock));
    }
    for (k8s::Dynamic& object : written) {
      // What a pass works with has an address in its spec.
      const auto there = cluster_.find(id(object));
      if (there == cluster_.end() || object.find("status") == nullptr) continue;
      k8s::Dynamic now = *there->second;
      now.set("status", *object.find("status"));
      put(std::move(now));
    }
  }

  std::unique_ptr<Pass> run_on() {
    for (const auto& [name, object] : cluster_) {
      if (object->kind() == "Gateway") objects_.add(object);
    }
    return run_pass({.objects = std::move(objects_), .pool = pool_}, memory_, envoys_);
  }
  std::unique_ptr<Pass> run_fresh() {
    Objects objects;
    for (const auto& [name, object] : cluster_) objects.add(object);
    fresh_memory_.cache = {};
    return run_pass({.objects = std::move(objects), .pool = pool_}, fresh_memory_, fresh_envoys_);
  }

  std::mt19937 random_;
  const AddressPool pool_ = *AddressPool::parse("198.51.100.0/30");
  int version_ = 0;
  std::map<std::string, Shared> cluster_;
  Objects objects_;
  FakeEnvoys envoys_, fresh_envoys_;
  Memory memory_, fresh_memory_;
};

TEST_F(IncrementalTest, AParentThatIsReplacedByAnotherIsNamed) {
  const auto gateway = [](const std::string& name) {
    return "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: " + name +
           ", namespace: shop}, spec: {gatewayClassName: fairway, listeners: [{name: own, port: 8081, "
           "protocol: HTTP}]}}";
  };
  put("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: both, namespace: shop}, "
      "spec: {parentRefs: [{name: ga}, {name: gb}], rules: [{}]}}");
  put(gateway("ga"));
  auto pass = run_on();
  objects_ = std::move(pass->evaluation->objects);
  remove("Gateway shop/ga");
  put(gateway("gb"));
  pass = run_on();
  EXPECT_EQ(words_of(*pass, envoys_), words_of(*run_fresh(), fresh_envoys_));
}

TEST_F(IncrementalTest, APassThatGoesOnSaysWhatAFreshOneSays) {
  std::set<std::string> seen;
  const int rounds = setting("FAIRWAY_ROUNDS", 100);
  for (int round = 0; round < rounds; ++round) {
    for (int i = any(3); i >= 0; --i) change();
    answer();
    auto pass = run_on();
    ASSERT_EQ(words_of(*pass, envoys_), words_of(*run_fresh(), fresh_envoys_)) << "round " << round;
    // Only Envoys say something else.
    answer();
    pass = run_pass_again(*pass, memory_, envoys_);
    ASSERT_NE(pass, nullptr);
    const auto words = words_of(*pass, envoys_);
    ASSERT_EQ(words, words_of(*run_fresh(), fresh_envoys_)) << "round " << round;
    for (const auto& [of, word] : words) seen.insert(word);
    objects_ = std::move(pass->evaluation->objects);
    write(*pass);
  }
  // The changes are changes.
  EXPECT_GT(seen.size(), static_cast<std::size_t>(rounds));
}

/// Tests of a Gateway with so many hostnames that they are served in shards, in which only routes change.
class IncrementalRoutesTest : public IncrementalTest {
 protected:
  static constexpr int routes = 400;

  IncrementalRoutesTest() {
    for (const char* kind : {"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "Gateway"}) {
      std::vector<std::string> names;
      for (const auto& [name, object] : cluster_) {
        if (object->kind() == kind) names.push_back(name);
      }
      for (const std::string& name : names) remove(name);
    }
    put("{apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {ports: [{port: "
        "80}]}}");
    put("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: cart-1, namespace: shop, "
        "labels: {kubernetes.io/service-name: cart}}, addressType: IPv4, ports: [{port: 8080, protocol: TCP, "
        "name: ''}], endpoints: [{addresses: [203.0.113.1], conditions: {ready: true}}]}");
    put("{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: shop}, "
        "spec: {gatewayClassName: fairway, listeners: [{name: a, port: 80, protocol: HTTP}, {name: b, port: "
        "443, protocol: HTTPS, hostname: '*.example', tls: {certificateRefs: [{name: shop-tls}]}}]}}");
    for (int number = 0; number < routes; ++number) put_route(number);
  }

  void put_route(int number) {
    const std::string hosts = any(6) > 0
                                  ? "r" + std::to_string(number) + one_of({".example", ".example", ".other"})
                                  : one_of({"'*.example'", "x.y.example", "'*.y.example'"});
    put("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r" +
        std::to_string(number) + ", namespace: shop}, spec: {parentRefs: [{name: web}" +
        one_of({"", "", ", {name: web, sectionName: b}"}) + "], hostnames: [" + hosts +
        "], rules: [{backendRefs: [{name: " + one_of({"cart", "none"}) + ", port: 80}]" +
        one_of({"", ", matches: [{path: {value: /x}}]"}) + "}]}}");
  }
  void change_one() {
    switch (any(8)) {
      case 0:
        return remove("HTTPRoute shop/r" + std::to_string(any(routes + 10)));
      case 1:
        return put(
            "{apiVersion: gateway.networking.k8s.io/v1, kind: GRPCRoute, metadata: {name: g, namespace: "
            "shop}, spec: {parentRefs: [{name: web}], hostnames: [r7.example], rules: [{backendRefs: [{name: "
            "cart, port: 80}]}]}}");
      case 2:
        return remove("GRPCRoute shop/g");
      case 3:
        return put(
            "{apiVersion: gateway.networking.k8s.io/v1, kind: TCPRoute, metadata: {name: t, namespace: "
            "shop}, "
            "spec: {parentRefs: [{name: " +
            one_of({"web", "gone"}) + "}], rules: [{backendRefs: [{name: cart, port: 80}]}]}}");
      default:
        return put_route(any(routes + 10));
    }
  }
};

TEST_F(IncrementalRoutesTest, APassThatGoesOnSaysWhatAFreshOneSays) {
  std::size_t most_routes = 0;
  for (int round = setting("FAIRWAY_ROUNDS", 100) / 10; round > 0; --round) {
    for (int i = any(3); i >= 0; --i) change_one();
    answer();
    auto pass = run_on();
    ASSERT_EQ(words_of(*pass, envoys_), words_of(*run_fresh(), fresh_envoys_)) << "round " << round;
    most_routes = std::max(
        most_routes, static_cast<std::size_t>(std::ranges::count_if(envoys_.served, [](const auto& entry) {
          return entry.first.type == xds::Type::route;
        })));
    objects_ = std::move(pass->evaluation->objects);
  }
  EXPECT_GT(most_routes, 60U) << "there were shards";
}

TEST_F(IncrementalRoutesTest, WhatDidNotChangeIsNotMadeAnew) {
  auto pass = run_on();
  const xds::Resources before = envoys_.served;
  const auto attached = [&] {
    std::set<std::uint64_t> revisions;
    for (const RouteState& route : pass->evaluation->routes) revisions.insert(route.revision);
    return revisions;
  };
  const std::set<std::uint64_t> attached_before = attached();
  objects_ = std::move(pass->evaluation->objects);
  pass.reset();
  put("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r7, namespace: shop}, "
      "spec: {parentRefs: [{name: web}], hostnames: [seven.other], rules: [{backendRefs: [{name: cart, port: "
      "80}]}]}}");
  pass = run_on();
  std::size_t changed = 0;
  for (const auto& [name, resource] : envoys_.served)
    changed += before.contains(name) && before.at(name).is(resource) ? 0 : 1;
  // Where it was on both listeners, and where it is now.
  EXPECT_GE(changed, 1U);
  EXPECT_LE(changed, 4U);
  std::size_t attached_anew = 0;
  for (const std::uint64_t revision : attached()) attached_anew += attached_before.contains(revision) ? 0 : 1;
  EXPECT_EQ(attached_anew, 1U);
}

}  // namespace
}  // namespace fairway::gateway
