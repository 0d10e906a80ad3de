// Rules that an Envoy refuses though nothing is wrong in the object: it takes smaller regular expressions
// than the one that the controller expects. The others are served, and the conditions say what is true.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.h"
#include "support/gateway_rig.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::ask;
using testing::eventually;

/// Larger than this Envoy takes, and no larger than any that runs as the documentation says.
constexpr const char* large = "/[a-z]{1,60}";

class EnvoyRefusal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    const auto program = programs_.write(
        "envoy", "#!/bin/sh\nexec " + testing::envoy_program() +
                     " \"$@\" --config-yaml '{layered_runtime: {layers: [{name: small, static_layer: "
                     "{re2.max_program_size.error_level: 100}}]}}'\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    rig_ = std::make_unique<testing::GatewayRig>(
        (std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(), program.string());
    rig_->apply_gateway(port_);
    apply_backend("a", *a_);
    apply_backend("b", *b_);
  }

  void apply_backend(const std::string& name, const http::Server& backend) {
    rig_->apply(
        "{apiVersion: v1, kind: Service, metadata: {name: " + name +
        ", namespace: shop}, spec: {ports: [{port: 80}]}}\n---\napiVersion: discovery.k8s.io/v1\n"
        "kind: EndpointSlice\nmetadata: {name: " +
        name + "-1, namespace: shop, labels: {kubernetes.io/service-name: " + name +
        "}}\naddressType: IPv4\nports: [{name: \"\", protocol: TCP, port: " + std::to_string(backend.port()) +
        "}]\nendpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]\n");
  }
  /// A route with the hostname NAME.example.
  void apply_route(const std::string& name, const std::string& rules) {
    rig_->apply("{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
                ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: [" + name +
                ".example], rules: [" + rules + "]}}");
  }
  static std::string rule(const std::string& match, const std::string& backend) {
    return "{matches: [{path: " + match + "}], backendRefs: [{name: " + backend + ", port: 80}]}";
  }
  static std::string by_expression() {
    return rule(std::string("{type: RegularExpression, value: '") + large + "'}", "b");
  }

  /// "True Accepted", or of another condition; with its message.
  std::string said(const std::string& route, const std::string& type) const {
    const auto object = rig_->get("HTTPRoute", route);
    if (!object) return "no route";
    for (const k8s::View& parent : object->items("status.parents")) {
      const auto found = k8s::find_condition(parent, type, "conditions");
      if (found && found->observed_generation() == object->generation())
        return std::string(to_string(found->status())) + " " + std::string(found->reason()) + ": " +
               std::string(found->message());
    }
    return "";
  }
  bool says(const std::string& route, const std::string& type, const std::string& what) const {
    const bool is_said = eventually([&] { return said(route, type).starts_with(what); });
    EXPECT_TRUE(is_said) << route << ": " << said(route, type) << "\n" << rig_->log();
    return is_said;
  }
  std::string asked(const std::string& name, const std::string& path = "/") const {
    const auto answer = ask(port_, name + ".example", path);
    return answer.status == 200 ? answer.body : std::to_string(answer.status);
  }
  void expect_answer(const std::string& name, const std::string& path, const std::string& answer) {
    EXPECT_TRUE(eventually([&] { return asked(name, path) == answer; }))
        << name << path << ": " << asked(name, path) << "\n"
        << rig_->log();
  }

  const std::unique_ptr<http::Server> a_ = testing::named_backend("a"), b_ = testing::named_backend("b");
  const int port_ = testing::free_loopback_port();
  const testing::TempDirectory programs_;
  std::unique_ptr<testing::GatewayRig> rig_;
};

TEST_F(EnvoyRefusal, CostsItsRuleAlone) {
  const std::string refusal = "Envoy refuses it: regex '/[a-z]{1,60}' RE2 program size of ";
  for (int i = 0; i < 20; ++i) apply_route("good-" + std::to_string(i), rule("{value: /}", "a"));
  apply_route("partly", rule("{value: /}", "a") + ", " + by_expression());
  apply_route("wholly", by_expression());
  const auto expect_truth = [&] {
    says("partly", "Accepted", "True Accepted");
    says("partly", "PartiallyInvalid", "True UnsupportedValue: Dropped Rule: rule 2: " + refusal);
    says("wholly", "Accepted", "False UnsupportedValue: rule 1: " + refusal);
    EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; }))
        << rig_->programmed("web") << rig_->log();
    expect_answer("partly", "/", "a");
    expect_answer("wholly", "/x", "404");
  };
  const auto expect_changes = [&](const std::string& backend) {
    for (int i = 0; i < 20; ++i) {
      const std::string name = "good-" + std::to_string(i);
      apply_route(name, rule("{value: /}", backend));
      ASSERT_TRUE(rig_->wait_until_current("HTTPRoute", name)) << name << "\n" << rig_->log();
      ASSERT_EQ(said(name, "Accepted"), "True Accepted: served on http");
      ASSERT_EQ(asked(name), backend) << name << "\n" << rig_->log();
    }
  };
  rig_->start_controller();
  expect_truth();
  expect_changes("b");
  rig_->kill_envoy();
  expect_answer("good-0", "/", "b");
  expect_truth();
  expect_changes("a");
  rig_->end_controller(SIGTERM);
  rig_->start_controller();
  expect_answer("good-0", "/", "a");
  expect_truth();
  expect_changes("b");

  apply_route("partly", rule("{value: /}", "a") + ", " + rule("{value: /x}", "b"));
  apply_route("wholly", rule("{value: /}", "b"));
  says("wholly", "Accepted", "True Accepted");
  ASSERT_TRUE(rig_->wait_until_current("HTTPRoute", "partly"));
  EXPECT_TRUE(eventually([&] { return said("partly", "PartiallyInvalid").empty(); }));
  EXPECT_EQ(asked("partly", "/x"), "b");
  EXPECT_EQ(asked("wholly", "/x"), "b");
}

}  // namespace
}  // namespace fairway::gateway
