// SPDX-License-Identifier: Apache-2.0

// Ready: said once a probe has been answered, and taken back before Envoy is given what makes it untrue.
#include "gateway/internal/status/readiness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "gateway/fake_envoys.h"
#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/run_pass.h"
#include "gateway/internal/status/status.h"
#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

using State = xds::Acknowledgement::State;

constexpr const char* shop = R"(
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway, generation: 1}
spec:
  controllerName: fairway.dev/gateway
  parametersRef: {group: fairway.dev, kind: GatewayParameters, name: settings, namespace: shop}
---
apiVersion: fairway.dev/v1alpha1
kind: GatewayParameters
metadata: {name: settings, namespace: shop}
spec: {ready: true}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, generation: 3}
spec:
  gatewayClassName: fairway
  addresses: [{value: 198.51.100.1}]
  listeners:
  - {name: a, port: 80, protocol: HTTP}
  - {name: b, port: 443, protocol: HTTPS, hostname: "*.shop.example", tls: {certificateRefs: [{name: shop-tls}]}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: cart, namespace: shop, generation: 1}
spec:
  parentRefs: [{name: web, sectionName: a}]
  rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: a.example}}]}]
)";

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  if (at != std::string::npos) text.replace(at, old.size(), with);
  return text;
}

class FakeProbes final : public Probes {
 public:
  void want(const std::set<Probe>& probes) override {
    wanted = probes;
    std::erase_if(answers, [&](const auto& entry) { return !wanted.contains(entry.first); });
  }
  std::optional<Result<void>> answer(const Probe& probe) const override {
    const auto found = answers.find(probe);
    return found != answers.end() ? std::optional(found->second) : std::nullopt;
  }
  void answer_all() {
    for (const Probe& probe : wanted) answers[probe] = {};
  }
  const Probe* find(Probe::Kind kind) const {
    const auto found = std::ranges::find(wanted, kind, &Probe::kind);
    return found != wanted.end() ? &*found : nullptr;
  }

  std::set<Probe> wanted;
  std::map<Probe, Result<void>> answers;
};

class ReadinessTest : public ::testing::Test {
 protected:
  ReadinessTest() : secrets_(read_file(FAIRWAY_SOURCE_DIR "/tests/gateway/cases/secrets.yaml").value()) {}

  /// Runs a pass over `text_`, whose objects have the statuses that the server has.
  std::unique_ptr<Pass> run() {
    Objects objects;
    const auto documents = k8s::read_documents(text_ + "---\n" + secrets_);
    for (const k8s::Document& document : documents.value()) {
      k8s::Dynamic object = *k8s::Dynamic::from(document.value);
      if (const auto found = statuses_.find(owner_of(object)); found != statuses_.end())
        object.set("status", found->second);
      objects.add(std::move(object));
    }
    return run_pass({.objects = std::move(objects)}, memory_, envoys_, &probes_);
  }
  /// Writes the statuses of a pass to the server, as the controller does.
  void write(const Pass& pass) {
    const FakeClock clock;
    for (const Report& report : pass.reports) {
      if (pass.waiting.contains(report.object)) continue;
      const k8s::Dynamic now = with_status(report, clock);
      if (const json::Value* status = now.find("status")) statuses_[owner_of(now)] = *status;
    }
  }
  void withdraw(const Pass& pass) {
    const FakeClock clock;
    for (const auto& [object, parts] : pass.unready) {
      k8s::Dynamic now = *object;
      withdraw_ready(now, parts, clock);
      statuses_[owner_of(now)] = *now.find("status");
    }
  }
  /// Runs passes until all is ready.
  void make_ready() {
    write(*run());
    probes_.answer_all();
    write(*run());
    ASSERT_EQ(ready(), "True Ready: traffic flows through all listeners");
    ASSERT_TRUE(run()->unready.empty());
  }
  /// Returns Ready of the Gateway on the server, or of a listener: "True Ready: ...".
  std::string ready(const std::string& listener = {}) const {
    const auto found = statuses_.find({"Gateway", {"shop", "web"}});
    if (found == statuses_.end()) return "no status";
    const k8s::View status(found->second.get_object());
    std::optional<k8s::Condition> condition;
    if (listener.empty()) condition = k8s::find_condition(status, "Ready", "conditions");
    for (const k8s::View& one : status.items("listeners")) {
      if (one.text("name") == listener) condition = k8s::find_condition(one, "Ready", "conditions");
    }
    if (!condition) return "none";
    EXPECT_EQ(condition->observed_generation(), 3);
    return std::string(to_string(condition->status())) + " " + std::string(condition->reason()) + ": " +
           std::string(condition->message());
  }
  bool serves(const std::string& listener) const {
    return envoys_.served.contains({xds::Type::listener, listener});
  }

  std::string text_ = shop;
  const std::string secrets_;
  std::map<Owner, json::Value> statuses_;
  FakeEnvoys envoys_;
  FakeProbes probes_;
  Memory memory_;
};

TEST_F(ReadinessTest, IsUnknownFromTheFirstReconcileOn) {
  envoys_.otherwise = State::unconnected;
  const auto pass = run();
  const FakeClock clock;
  for (const Report& report : pass->reports) {
    if (report.object->kind() == "Gateway")
      statuses_[owner_of(*report.object)] = *with_status(report, clock).find("status");
  }
  EXPECT_EQ(ready(), "Unknown Pending: listener a: no Envoy is connected");
  EXPECT_EQ(ready("b"), "Unknown Pending: no Envoy is connected");
  EXPECT_TRUE(probes_.wanted.empty());
}

TEST_F(ReadinessTest, IsTrueOnceAProbeThroughEachListenerIsAnswered) {
  write(*run());
  EXPECT_EQ(ready(), "Unknown Pending: listener a: no probe has been answered yet");
  const Probe* http = probes_.find(Probe::Kind::http);
  ASSERT_NE(http, nullptr);
  EXPECT_EQ(http->address, "198.51.100.1");
  EXPECT_EQ(http->port, 80);
  probes_.answers[*http] = {};
  write(*run());
  EXPECT_EQ(ready("a"), "True Ready: traffic flows");
  EXPECT_EQ(ready("b"), "Unknown Pending: no probe has been answered yet");
  EXPECT_EQ(ready(), "Unknown Pending: listener b: no probe has been answered yet");
  const Probe* tls = probes_.find(Probe::Kind::tls);
  ASSERT_NE(tls, nullptr);
  EXPECT_EQ(tls->server_name, "fairway-ready.shop.example");
  ASSERT_EQ(tls->certificates.size(), 1U);
  EXPECT_TRUE(tls->certificates[0].starts_with("-----BEGIN CERTIFICATE"));
  probes_.answers[*tls] = {};
  write(*run());
  EXPECT_EQ(ready(), "True Ready: traffic flows through all listeners");
}

TEST_F(ReadinessTest, AnHttpListenerAnswersProbesWithItsConfiguration) {
  run();
  const json::Object& listener = envoys_.served.at({xds::Type::listener, "198.51.100.1:80/tcp"}).rest();
  const std::string routes =
      json::to_text(envoys_.served.at({xds::Type::route, "198.51.100.1:80/tcp#shop/web"}).json());
  EXPECT_NE(routes.find(probe_host), std::string::npos) << routes;
  EXPECT_EQ(k8s::View(listener).text("metadata.filter_metadata.fairway.configuration"),
            probes_.find(Probe::Kind::http)->configuration);
}

TEST_F(ReadinessTest, SaysWhyAProbeIsNotAnswered) {
  write(*run());
  for (const Probe& probe : probes_.wanted)
    probes_.answers[probe] = fail(ErrorCode::unavailable, "connection refused");
  write(*run());
  EXPECT_EQ(ready("a"), "False Pending: connection refused");
  EXPECT_EQ(ready(), "False ListenersNotReady: listener a: connection refused");
}

TEST_F(ReadinessTest, StaysWhileRoutesChange) {
  make_ready();
  text_ = replaced(text_, "a.example", "b.example");
  envoys_.answers = {{{xds::Type::route, "198.51.100.1:80/tcp#shop/web"}, {.state = State::pending}}};
  const auto pass = run();
  EXPECT_TRUE(pass->unready.empty());
  EXPECT_NE(json::to_text(envoys_.served.at({xds::Type::route, "198.51.100.1:80/tcp#shop/web"}).json())
                .find("b.example"),
            std::string::npos);
  envoys_.answers.clear();
  write(*run());
  EXPECT_EQ(ready(), "True Ready: traffic flows through all listeners");
}

/// A change that takes traffic from listener b for a while.
struct Change {
  const char* name;
  std::string from, to;
};

class ReadinessBefore : public ReadinessTest, public ::testing::WithParamInterface<Change> {};

TEST_P(ReadinessBefore, EnvoyIsGivenAChangeItIsTakenBack) {
  make_ready();
  const xds::Resources before = envoys_.served;
  text_ = replaced(text_, GetParam().from, GetParam().to);
  for (int i = 0; i < 2; ++i) {
    const auto pass = run();
    for (const auto& [name, resource] : before) {
      ASSERT_TRUE(envoys_.served.contains(name)) << name.name;
      EXPECT_TRUE(envoys_.served.at(name) == resource) << name.name;
    }
    ASSERT_EQ(pass->unready.size(), 1U);
    EXPECT_TRUE(pass->unready.begin()->second.itself);
    EXPECT_TRUE(pass->unready.begin()->second.listeners.contains("b"));
    // Nothing is said of the new generation that only the old one is.
    EXPECT_EQ(pass->waiting.size(), 2U);
    if (i == 1) withdraw(*pass);
  }
  EXPECT_TRUE(ready().starts_with("Unknown Pending")) << ready();
  EXPECT_TRUE(ready("b").starts_with("Unknown Pending")) << ready("b");
  run();
  EXPECT_NE(envoys_.served, before);
  // An answer of before shows nothing.
  write(*run());
  EXPECT_FALSE(ready("b").starts_with("True")) << ready("b");
}

INSTANTIATE_TEST_SUITE_P(
    Changes, ReadinessBefore,
    ::testing::Values(
        Change{"Hostname", "*.shop.example", "*.till.example"}, Change{"Port", "port: 443", "port: 444"},
        Change{"Address", "198.51.100.1", "198.51.100.2"},
        Change{"Certificate", "{name: shop-tls}", "{name: gone}"},
        Change{
            "Removal",
            "  - {name: b, port: 443, protocol: HTTPS, hostname: \"*.shop.example\", tls: {certificateRefs: "
            "[{name: shop-tls}]}}\n",
            ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(ReadinessTest, OfAListenerThatStaysIsNotTakenBack) {
  make_ready();
  text_ = replaced(text_, "port: 443", "port: 444");
  const auto pass = run();
  ASSERT_EQ(pass->unready.size(), 1U);
  EXPECT_EQ(pass->unready.begin()->second.listeners, (std::set<std::string>{"b"}));
  EXPECT_TRUE(serves("198.51.100.1:443/tcp"));
  withdraw(*pass);
  EXPECT_EQ(ready("a"), "True Ready: traffic flows");
  run();
  EXPECT_FALSE(serves("198.51.100.1:443/tcp"));
  EXPECT_TRUE(serves("198.51.100.1:444/tcp"));
}

TEST_F(ReadinessTest, CountsWhatWasWrittenBeforeItIsReadBack) {
  make_ready();
  memory_.previous.published[{"Gateway", {"shop", "web"}}] = {.itself = true, .listeners = {"a", "b"}};
  statuses_.clear();
  text_ = replaced(text_, "port: 443", "port: 444");
  run();
  EXPECT_TRUE(serves("198.51.100.1:443/tcp"));
  memory_.previous.published.clear();
  run();
  EXPECT_FALSE(serves("198.51.100.1:443/tcp"));
}

TEST_F(ReadinessTest, IsTakenBackOfAGatewayThatGetsAnotherClass) {
  make_ready();
  const auto ready_before = statuses_;
  memory_.previous.published[{"Gateway", {"shop", "web"}}] = {.itself = true, .listeners = {"a", "b"}};
  text_ = replaced(text_, "gatewayClassName: fairway", "gatewayClassName: another") + R"(
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: another, generation: 1}
spec: {controllerName: example.com/another}
)";
  const auto pass = run();
  ASSERT_EQ(pass->unready.size(), 1U);
  EXPECT_TRUE(serves("198.51.100.1:443/tcp"));
  withdraw(*pass);
  memory_.previous.published.clear();
  EXPECT_TRUE(ready().starts_with("Unknown Pending")) << ready();
  run();
  EXPECT_FALSE(serves("198.51.100.1:443/tcp"));
  // What the class's own controller says of it is no word of ours.
  statuses_ = ready_before;
  EXPECT_TRUE(run()->unready.empty());
}

TEST_F(ReadinessTest, IsTakenBackWhenAnEnvoyIsGone) {
  make_ready();
  envoys_.otherwise = State::pending;
  const auto pass = run();
  ASSERT_EQ(pass->unready.size(), 1U);
  EXPECT_EQ(pass->unready.begin()->second.listeners, (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(probes_.wanted.empty());
}

TEST_F(ReadinessTest, IsShownAnewToEachSessionOfEnvoys) {
  make_ready();
  // Away and back between two passes.
  ++envoys_.sessions;
  EXPECT_EQ(run()->unready.size(), 1U);
  probes_.answer_all();
  EXPECT_TRUE(run()->unready.empty());
}

TEST_F(ReadinessTest, OfAnotherLifeIsTakenBack) {
  make_ready();
  memory_ = {};
  probes_.answers.clear();
  const auto pass = run();
  ASSERT_EQ(pass->unready.size(), 1U);
  // What is asked for is served at once: traffic does not wait for words.
  EXPECT_TRUE(serves("198.51.100.1:443/tcp"));
}

TEST_F(ReadinessTest, AnAddressIsTakenOverOnceItsListenerIsNoLongerReady) {
  make_ready();
  text_ = replaced(text_, "198.51.100.1", "198.51.100.2") + R"(
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: till, namespace: shop, generation: 1}
spec:
  gatewayClassName: fairway
  addresses: [{value: 198.51.100.1}]
  listeners: [{name: a, port: 80, protocol: HTTP}]
)";
  const auto before = envoys_.served.at({xds::Type::listener, "198.51.100.1:80/tcp"});
  const auto pass = run();
  EXPECT_TRUE(envoys_.served.at({xds::Type::listener, "198.51.100.1:80/tcp"}) == before);
  EXPECT_FALSE(envoys_.served.contains({xds::Type::route, "198.51.100.1:80/tcp#shop/till"}));
  EXPECT_TRUE(
      std::ranges::any_of(pass->waiting, [](const auto& one) { return one.first->name() == "till"; }));
  withdraw(*pass);
  run();
  EXPECT_FALSE(envoys_.served.at({xds::Type::listener, "198.51.100.1:80/tcp"}) == before);
}

}  // namespace
}  // namespace fairway::gateway
