// SPDX-License-Identifier: Apache-2.0

// Truth under change, with a real Envoy: random changes under traffic. Once the statuses are of the new
// generations every answer is the one that the configuration asks for, and no request fails that both the old
// and the new configuration would serve. FAIRWAY_ROUNDS is the number of changes (20), FAIRWAY_SEED chooses
// others.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/text.h"
#include "http/certificate.h"
#include "http/client.h"
#include "support/gateway_rig.h"
#include "support/setting.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using fairway::testing::setting;
using testing::eventually;

constexpr std::array backends = {"a", "b", "c", "stock"};
constexpr int route_count = 6;
/// The possible answers to a request, each an answer, or "none" if nothing listens.
using Answers = std::set<std::string>;

struct Route {
  enum class Kind { gone, backends, missing, redirect, two_paths };
  Kind kind = Kind::backends;
  /// The weights of backends by the name of the Service; `stock` is in another namespace.
  std::map<std::string, int> weights = {{"a", 1}};
};

/// The state that the objects ask for.
struct State {
  std::array<Route, route_count> routes;
  std::map<std::string, bool> has_endpoints = {{"a", true}, {"b", true}, {"c", true}, {"stock", true}};
  bool has_grant = true;
  /// A second HTTP listener.
  bool has_extra = false;
  /// An HTTP listener on the port of HTTPS.
  bool has_conflict = false;
  /// A younger route with the hostname of the first.
  bool has_usurper = false;
  /// Index of HTTPS's certificate, of two; -1: its Secret is missing.
  int certificate = 0;
};

enum class Port { http, https, extra };

struct Probe {
  Port port = Port::http;
  int route = 0;
  std::string path = "/";
};

bool is_served(const State& state, Port port) {
  if (port == Port::https) return !state.has_conflict && state.certificate >= 0;
  return port == Port::http || state.has_extra;
}

std::string answer_of(const State& state, const std::string& backend) {
  if (backend == "stock" && !state.has_grant) return "500";
  return state.has_endpoints.at(backend) ? "200 " + backend : "503";
}

/// Returns the answers that a state allows.
Answers expected(const State& state, const Probe& probe) {
  if (!is_served(state, probe.port)) return {"none"};
  const Route& route = state.routes[static_cast<std::size_t>(probe.route)];
  switch (route.kind) {
    case Route::Kind::gone:
      return {"404"};
    case Route::Kind::missing:
      return {"500"};
    case Route::Kind::redirect:
      return {"302"};
    case Route::Kind::two_paths:
      return {answer_of(state, probe.path == "/x" ? "a" : "b")};
    case Route::Kind::backends:
      break;
  }
  Answers answers;
  for (const auto& [backend, weight] : route.weights) {
    if (weight > 0) answers.insert(answer_of(state, backend));
  }
  if (answers.empty()) answers.insert("500");
  return answers;
}

std::string name_of(int route) {
  return "r" + std::to_string(route);
}
std::string host_of(int route) {
  return name_of(route) + ".example.com";
}

class TruthTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    for (const char* name : backends) servers_[name] = testing::named_backend(name);
    for (Port port : {Port::http, Port::https, Port::extra}) ports_[port] = testing::free_loopback_port();
    const WallTime today = Clock::system().now();
    const http::Validity validity{today - std::chrono::hours(1), today + std::chrono::hours(24)};
    for (const char* name : {"first", "second"}) {
      authorities_.push_back(http::make_authority(name, validity).value());
      certificates_.push_back(
          http::issue_certificate(authorities_.back(), "gateway", {"*.example.com"}, validity).value());
    }
    // An Envoy that can be kept from coming back.
    const std::string script = "#!/bin/sh\n[ ! -e '" + (folder_ / "stopped").string() +
                               "' ] || exit 1\nexec '" + testing::envoy_program() + "' \"$@\"\n";
    const auto envoy = folder_.write("envoy.sh", script);
    std::filesystem::permissions(envoy, std::filesystem::perms::owner_all);
    rig_ = std::make_unique<testing::GatewayRig>(
        (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(), envoy.string(),
        true);
    rig_->apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
)");
    for (const char* name : backends) {
      rig_->apply("{apiVersion: v1, kind: Service, metadata: {name: " + std::string(name) +
                  ", namespace: " + space_of(name) + "}, spec: {ports: [{port: 80}]}}");
      apply_endpoints(name, true);
    }
    apply_grant(true);
    apply_secret(0);
    apply_gateway(state_);
    for (int route = 0; route < route_count; ++route) apply_route(route, state_.routes[0]);
    history_.push_back(state_);
    rig_->start_controller();
    ASSERT_TRUE(eventually([&] { return is_right(state_); })) << rig_->log();
    ASSERT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; })) << rig_->log();
  }

  static std::string space_of(const std::string& backend) { return backend == "stock" ? "store" : "shop"; }

  void apply_endpoints(const std::string& backend, bool has_any) {
    rig_->apply("apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: " + backend +
                "-1, namespace: " + space_of(backend) + ", labels: {kubernetes.io/service-name: " + backend +
                "}}\naddressType: IPv4\nports: [{name: \"\", protocol: TCP, port: " +
                std::to_string(servers_.at(backend)->port()) + "}]\nendpoints: " +
                (has_any ? "[{addresses: [127.0.0.1], conditions: {ready: true}}]" : "[]") + "\n");
  }
  void apply_grant(bool is_there) {
    if (is_there) {
      rig_->apply(
          "{apiVersion: gateway.networking.k8s.io/v1beta1, kind: ReferenceGrant, metadata: {name: g, "
          "namespace: "
          "store}, spec: {from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}], to: "
          "[{group: '', kind: Service}]}}");
    } else {
      remove({"gateway.networking.k8s.io", "v1beta1", "referencegrants"}, "store", "g");
    }
  }
  void apply_secret(int which) {
    if (which < 0) {
      remove({"", "v1", "secrets"}, "shop", "pair");
      return;
    }
    const auto& pair = certificates_[static_cast<std::size_t>(which)];
    rig_->apply(json::to_text(
        json::Object{{"apiVersion", "v1"},
                     {"kind", "Secret"},
                     {"metadata", json::Object{{"name", "pair"}, {"namespace", "shop"}}},
                     {"type", "kubernetes.io/tls"},
                     {"stringData", json::Object{{"tls.crt", pair.certificate}, {"tls.key", pair.key}}}}));
  }
  void apply_gateway(const State& state) {
    const auto port = [&](Port of) { return std::to_string(ports_.at(of)); };
    std::string listeners = "{name: http, port: " + port(Port::http) +
                            ", protocol: HTTP}, {name: https, port: " + port(Port::https) +
                            ", protocol: HTTPS, tls: {certificateRefs: [{name: pair}]}}";
    if (state.has_extra) listeners += ", {name: extra, port: " + port(Port::extra) + ", protocol: HTTP}";
    if (state.has_conflict)
      listeners += ", {name: conflict, port: " + port(Port::https) + ", protocol: HTTP}";
    rig_->apply(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: shop}, "
        "spec: "
        "{gatewayClassName: fairway, addresses: [{value: 127.0.0.1}], listeners: [" +
        listeners + "]}}");
  }
  static std::string backend_ref(const std::string& name, int weight) {
    return "{name: " + name + ", namespace: " + space_of(name) +
           ", port: 80, weight: " + std::to_string(weight) + "}";
  }
  void apply_route(int number, const Route& route, const std::string& name = {}) {
    const std::string own = name.empty() ? name_of(number) : name;
    std::string rules;
    switch (route.kind) {
      case Route::Kind::gone:
        remove({"gateway.networking.k8s.io", "v1", "httproutes"}, "shop", own);
        return;
      case Route::Kind::missing:
        rules = "{backendRefs: [{name: nobody, port: 80}]}";
        break;
      case Route::Kind::redirect:
        rules = "{filters: [{type: RequestRedirect, requestRedirect: {hostname: elsewhere.example.com}}]}";
        break;
      case Route::Kind::two_paths:
        rules = "{matches: [{path: {value: /x}}], backendRefs: [" + backend_ref("a", 1) +
                "]}, {backendRefs: [" + backend_ref("b", 1) + "]}";
        break;
      case Route::Kind::backends: {
        std::vector<std::string> refs;
        for (const auto& [backend, weight] : route.weights) refs.push_back(backend_ref(backend, weight));
        rules = "{backendRefs: [" + join(refs, ", ") + "]}";
        break;
      }
    }
    rig_->apply("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + own +
                ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: [" + host_of(number) +
                "], rules: [" + rules + "]}}");
  }
  void remove(const k8s::GroupVersionResource& kind, const std::string& space, const std::string& name) {
    const auto removed = rig_->client().remove(kind, {space, name});
    ASSERT_TRUE(removed || removed.error().is_not_found()) << removed.error().message;
  }

  /// Sends a request and returns the answer: "200 a", "404", "none". With HTTPS, the certificate has to be
  /// signed by one of these authorities.
  std::string ask(const Probe& probe, const std::vector<std::size_t>& trusted) const {
    const std::string host = host_of(probe.route);
    if (probe.port != Port::https) {
      const auto answer = testing::ask(ports_.at(probe.port), host, probe.path);
      return text_of(answer.status, answer.body);
    }
    http::ClientOptions options{.system_cas = false, .tls_server_name = host, .proxy_environment = false};
    for (const std::size_t one : trusted)
      options.ca_texts.emplace_back(authorities_[one].certificate, "a CA");
    auto client = http::Client::create(options);
    if (!client) return client.error().message;
    http::Call call{
        .url = *http::Url::parse("https://127.0.0.1:" + std::to_string(ports_.at(Port::https)) + probe.path),
        .limits = Limits::within(Clock::system(), testing::generous(std::chrono::seconds(2)))};
    call.headers.set("Host", host);
    const auto reply = (*client)->send(call);
    return reply ? text_of(reply->status, reply->body) : "none";
  }
  static std::string text_of(int status, const std::string& body) {
    if (status == 0) return "none";
    return std::to_string(status) + (status == 200 ? " " + body : "");
  }

  std::vector<Probe> probes() const {
    std::vector<Probe> all;
    for (int route = 0; route < route_count; ++route) {
      for (const char* path : {"/", "/x"}) all.push_back({Port::http, route, path});
      all.push_back({Port::https, route, "/"});
      all.push_back({Port::extra, route, "/"});
    }
    return all;
  }
  /// Returns what is wrong with an answer; empty: nothing.
  std::string fault_of(const State& state, const Probe& probe) const {
    std::vector<std::size_t> trusted;
    if (state.certificate >= 0) trusted.push_back(static_cast<std::size_t>(state.certificate));
    const std::string got = ask(probe, trusted);
    const Answers want = expected(state, probe);
    if (want.contains(got)) return {};
    return host_of(probe.route) + probe.path + " of port " + std::to_string(static_cast<int>(probe.port)) +
           ": " + got + " instead of " + join({want.begin(), want.end()}, " or ");
  }
  /// Returns whether all answers are those of a state. With several backends, the old and the new
  /// configuration may have some in common, and only many answers show that the new one is served. The chance
  /// that all of them are common ones is 1 in 100,000.
  bool is_right(const State& state) const {
    constexpr int answers = 30;
    for (const Probe& probe : probes()) {
      const Route& route = state.routes[static_cast<std::size_t>(probe.route)];
      const bool is_shared = route.kind == Route::Kind::backends && route.weights.size() > 1;
      for (int i = is_shared ? answers : 1; i > 0; --i) {
        if (!fault_of(state, probe).empty()) return false;
      }
    }
    return true;
  }
  void expect_right(const State& state) const {
    for (const Probe& probe : probes()) {
      EXPECT_EQ(fault_of(state, probe), "");
    }
  }

  /// Sends random requests, and judges each by the states that were current meanwhile.
  void send_traffic(const std::stop_token& stop, unsigned seed) {
    std::mt19937 random(seed);
    const auto all = probes();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const Probe& probe = all[random() % all.size()];
      const std::size_t first = settled_;
      const std::string got = ask(probe, {0, 1});
      const std::size_t last = applied_;
      const std::lock_guard lock(mutex_);
      ++requests_;
      bool is_expected = false;
      Answers want;
      for (std::size_t i = first; i <= last; ++i) {
        const Answers one = expected(history_[i], probe);
        is_expected = is_expected || one.contains(got);
        want.insert(one.begin(), one.end());
      }
      if (is_expected) continue;
      faults_.push_back("between change " + std::to_string(first) + " and " + std::to_string(last) + " " +
                        host_of(probe.route) + probe.path + " of port " +
                        std::to_string(static_cast<int>(probe.port)) + ": " + got + " instead of " +
                        join({want.begin(), want.end()}, " or "));
    }
  }

  /// Changes the state at random, applies it, and waits for the statuses. Returns a description of the
  /// change.
  std::string change(std::mt19937_64& random) {
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    State next = state_;
    const int number = below(route_count);
    Route& route = next.routes[static_cast<std::size_t>(number)];
    const std::string backend = backends[static_cast<std::size_t>(below(backends.size()))];
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        // Made anew beside the usurper it would be the younger of the two, or as old.
        do route.kind = static_cast<Route::Kind>(below(5));
        while (number == 0 && state_.has_usurper && route.kind == Route::Kind::gone);
        return make(
            next, "route " + std::to_string(number), [&] { apply_route(number, route); },
            route.kind == Route::Kind::gone ? "" : name_of(number));
      }
      case 3:
      case 4: {
        route = {};
        route.weights.clear();
        for (const char* one : backends) {
          if (below(2) == 0) route.weights[one] = below(3);
        }
        if (route.weights.empty()) route.weights[backend] = 1;
        return make(
            next, "weights of route " + std::to_string(number), [&] { apply_route(number, route); },
            name_of(number));
      }
      case 5: {
        bool& has = next.has_endpoints[backend];
        has = !has;
        return make(next, "endpoints of " + backend, [&] { apply_endpoints(backend, has); });
      }
      case 6: {
        next.certificate = next.certificate < 0 ? below(2) : below(3) - 1;
        return make(next, "secret " + std::to_string(next.certificate),
                    [&] { apply_secret(next.certificate); });
      }
      case 7: {
        next.has_extra = !next.has_extra;
        return make(next, "listener", [&] { apply_gateway(next); }, "web");
      }
      case 8: {
        next.has_grant = !next.has_grant;
        return make(next, "grant", [&] { apply_grant(next.has_grant); });
      }
      default:
        break;
    }
    if (below(2) == 0 || state_.routes[0].kind == Route::Kind::gone) {
      next.has_conflict = !next.has_conflict;
      return make(next, "conflict", [&] { apply_gateway(next); }, "web");
    }
    next.has_usurper = !next.has_usurper;
    const Route usurper{.kind = next.has_usurper ? Route::Kind::backends : Route::Kind::gone,
                        .weights = {{"c", 1}}};
    return make(next, "usurper", [&] { apply_route(0, usurper, "usurper"); });
  }

  /// Applies a change. `object` is the route or Gateway whose status shows the change; empty: there is none,
  /// and the effect of the change is waited for.
  std::string make(const State& next, const std::string& what, const std::function<void()>& apply,
                   const std::string& object = {}) {
    {
      const std::lock_guard lock(mutex_);
      history_.push_back(next);
      state_ = next;
    }
    ++applied_;
    apply();
    if (object.empty()) {
      EXPECT_TRUE(eventually([&] { return is_right(state_); })) << what << "\n" << rig_->log();
    } else {
      EXPECT_TRUE(rig_->wait_until_current(object == "web" ? "Gateway" : "HTTPRoute", object)) << what;
    }
    EXPECT_TRUE(eventually([&] { return rig_->programmed("web").starts_with("True"); }))
        << rig_->programmed("web");
    settled_ = applied_.load();
    return what;
  }

  const testing::TempDirectory folder_;
  std::map<std::string, std::unique_ptr<http::Server>> servers_;
  std::map<Port, int> ports_;
  std::vector<http::KeyedCertificate> authorities_, certificates_;
  std::unique_ptr<testing::GatewayRig> rig_;
  State state_;
  std::mutex mutex_;
  std::vector<State> history_;
  std::vector<std::string> faults_;
  std::size_t requests_ = 0;
  /// The last change that has begun, and the last whose status has come.
  std::atomic<std::size_t> applied_ = 0, settled_ = 0;
};

TEST_F(TruthTest, EveryAnswerIsWhatTheStatusSays) {
  const int seed = setting("FAIRWAY_SEED", 1), rounds = setting("FAIRWAY_ROUNDS", 20);
  std::mt19937_64 random(static_cast<unsigned>(seed));
  std::vector<std::jthread> traffic;
  for (unsigned one : {1U, 2U})
    traffic.emplace_back([this, one](const std::stop_token& stop) { send_traffic(stop, one); });
  for (int round = 1; round <= rounds; ++round) {
    const std::string what = change(random);
    SCOPED_TRACE("FAIRWAY_SEED=" + std::to_string(seed) + ", change " + std::to_string(round) + ": " + what);
    expect_right(state_);
    if (HasFailure()) break;
  }
  traffic.clear();
  for (const std::string& fault : faults_) ADD_FAILURE() << "FAIRWAY_SEED=" << seed << " " << fault;
  std::printf("truth under change: %d changes, %zu requests, %zu wrong\n", rounds, requests_, faults_.size());
  if (HasFailure()) std::printf("%s\n", rig_->log().c_str());
}

TEST_F(TruthTest, AnEnvoyThatIsGoneIsSaidToBe) {
  folder_.write("stopped", "");
  rig_->kill_envoy();
  EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "False Pending"; }))
      << rig_->programmed("web");
  std::filesystem::remove(folder_ / "stopped");
  EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; }))
      << rig_->programmed("web");
  expect_right(state_);
}

TEST_F(TruthTest, AControllerThatIsKilledComesBackToWhatIsTrue) {
  rig_->end_controller(SIGKILL);
  state_.routes[1].weights = {{"b", 1}};
  apply_route(1, state_.routes[1]);
  state_.has_extra = true;
  apply_gateway(state_);
  rig_->start_controller();
  EXPECT_TRUE(rig_->wait_until_current("HTTPRoute", name_of(1))) << rig_->log();
  EXPECT_TRUE(rig_->wait_until_current("Gateway", "web")) << rig_->log();
  EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; }))
      << rig_->programmed("web");
  expect_right(state_);
}

TEST_F(TruthTest, AServerThatIsRestartedCostsNothing) {
  std::atomic<int> failed = 0;
  std::jthread traffic([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) failed += ask({}, {}) != "200 a";
  });
  rig_->restart_server();
  state_.routes[1].weights = {{"b", 1}};
  apply_route(1, state_.routes[1]);
  EXPECT_TRUE(rig_->wait_until_current("HTTPRoute", name_of(1))) << rig_->log();
  expect_right(state_);
  traffic = {};
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace fairway::gateway
