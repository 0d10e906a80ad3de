// SPDX-License-Identifier: Apache-2.0

// Rules that an Envoy refuses though nothing is wrong in the object. The others are served, and the
// conditions say what is true.
#include <csignal>
#include <string>

#include "gateway/refusing_envoy.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

using EnvoyRefusal = RefusingEnvoy;

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
