// SPDX-License-Identifier: Apache-2.0

// A Gateway on an Envoy that refuses rules though nothing is wrong in the object: it takes smaller regular
// expressions than the one that the controller expects.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.h"
#include "support/gateway_rig.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {

/// An expression that is too large for this Envoy, but not for one that is configured as the documentation
/// says.
inline constexpr const char* large_expression = "/[a-z]{1,60}";

class RefusingEnvoy : public ::testing::Test {
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
    rig_->apply_backend("a", a_->port());
    rig_->apply_backend("b", b_->port());
  }

  /// Applies a route with the hostname NAME.example.
  void apply_route(const std::string& name, const std::string& rules) {
    rig_->apply(route(name, name + ".example", rules));
  }
  static std::string route(const std::string& name, const std::string& hostname, const std::string& rules) {
    return "---\n{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: " + name +
           ", namespace: shop}, spec: {parentRefs: [{name: web}], hostnames: ['" + hostname + "'], rules: [" +
           rules + "]}}\n";
  }
  static std::string rule(const std::string& match, const std::string& backend) {
    return "{matches: [{path: " + match + "}], backendRefs: [{name: " + backend + ", port: 80}]}";
  }
  static std::string by_expression() {
    return rule(std::string("{type: RegularExpression, value: '") + large_expression + "'}", "b");
  }

  /// Returns a condition of a route with its message: "True Accepted: ...".
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
    const bool is_said = testing::eventually([&] { return said(route, type).starts_with(what); });
    EXPECT_TRUE(is_said) << route << ": " << said(route, type) << "\n" << rig_->log();
    return is_said;
  }
  std::string asked(const std::string& name, const std::string& path = "/") const {
    const auto answer = testing::ask(port_, name + ".example", path);
    return answer.status == 200 ? answer.body : std::to_string(answer.status);
  }
  void expect_answer(const std::string& name, const std::string& path, const std::string& answer) {
    EXPECT_TRUE(testing::eventually([&] { return asked(name, path) == answer; }))
        << name << path << ": " << asked(name, path) << "\n"
        << rig_->log();
  }

  const std::unique_ptr<http::Server> a_ = testing::named_backend("a"), b_ = testing::named_backend("b");
  const int port_ = testing::free_loopback_port();
  const testing::TempDirectory programs_;
  std::unique_ptr<testing::GatewayRig> rig_;
};

}  // namespace fairway::gateway
