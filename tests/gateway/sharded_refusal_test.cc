// SPDX-License-Identifier: Apache-2.0

// Rules that Envoy refuses on a port with so many hostnames that it is served in shards: the others are
// served, also while the port becomes sharded by such a rule.
#include <atomic>
#include <csignal>
#include <string>
#include <thread>

#include "gateway/internal/translation/shards.h"
#include "gateway/refusing_envoy.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

class ShardedRefusal : public RefusingEnvoy {
 protected:
  static std::string name_of(std::size_t number) { return "r" + std::to_string(number); }
  void apply_good(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += route(name_of(i), name_of(i) + ".example", rule("{value: /}", "a"));
    rig_->apply(text);
  }
  static constexpr const char* refusal = "Envoy refuses it: regex '/[a-z]{1,60}' RE2 program size of ";
};

TEST_F(ShardedRefusal, NoRequestFailsWhileOneWithARefusedRuleMakesShardsOfTheOthers) {
  apply_good(least_sharded - 1);
  rig_->start_controller({"--drain", "30s"});
  for (const std::size_t one : {std::size_t{0}, least_sharded / 2, least_sharded - 2})
    expect_answer(name_of(one), "/", "a");
  std::atomic<int> asked_for = 0, wrong = 0;
  std::jthread client([&](const std::stop_token& stop) {
    for (std::size_t i = 0; !stop.stop_requested(); i = (i + 7) % (least_sharded - 1)) {
      // That one goes, and comes back.
      wrong += i == 1 || asked(name_of(i)) == "a" ? 0 : 1;
      ++asked_for;
    }
  });
  ASSERT_TRUE(eventually([&] { return asked_for > 100; }));
  apply_route("partly", rule("{value: /}", "b") + ", " + by_expression());
  says("partly", "PartiallyInvalid", std::string("True UnsupportedValue: Dropped Rule: rule 2: ") + refusal);
  EXPECT_EQ(asked("partly"), "b");
  // And where they are a table again.
  ASSERT_TRUE(rig_->client().remove({"gateway.networking.k8s.io", "v1", "httproutes"}, {"shop", name_of(1)}));
  EXPECT_TRUE(eventually([&] { return asked(name_of(1)) == "404"; }));
  apply_route(name_of(1), rule("{value: /}", "a"));
  says(name_of(1), "Accepted", "True Accepted");
  client.request_stop();
  client.join();
  EXPECT_EQ(wrong, 0) << "of " << asked_for;
}

TEST_F(ShardedRefusal, CostsItsRuleAloneWhereverItStands) {
  apply_good(300);
  apply_route("partly", rule("{value: /}", "b") + ", " + by_expression());
  apply_route("wholly", by_expression());
  // In all shards, behind what each hostname has of its own.
  rig_->apply(route("wild", "*.example", rule("{value: /}", "b") + ", " + by_expression()));
  const auto expect_truth = [&] {
    says("partly", "PartiallyInvalid",
         std::string("True UnsupportedValue: Dropped Rule: rule 2: ") + refusal);
    says("wholly", "Accepted", std::string("False UnsupportedValue: rule 1: ") + refusal);
    says("wild", "PartiallyInvalid", std::string("True UnsupportedValue: Dropped Rule: rule 2: ") + refusal);
    says("wild", "Accepted", "True Accepted");
    EXPECT_TRUE(eventually([&] { return rig_->programmed("web") == "True Programmed"; }))
        << rig_->programmed("web") << rig_->log();
    expect_answer("partly", "/", "b");
    expect_answer("elsewhere", "/", "b");
  };
  const auto expect_changes = [&](const std::string& backend) {
    for (std::size_t i = 0; i < 20; ++i) {
      const std::string name = name_of(i * 10);
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
  expect_answer(name_of(299), "/", "a");
  EXPECT_EQ(asked("elsewhere"), "b") << "what is known to be refused costs a new Envoy nothing";
  expect_truth();
  expect_changes("a");
  rig_->end_controller(SIGTERM);
  rig_->start_controller();
  expect_answer(name_of(299), "/", "a");
  expect_truth();
  rig_->apply(route("wild", "*.example", rule("{value: /}", "a")));
  ASSERT_TRUE(rig_->wait_until_current("HTTPRoute", "wild")) << rig_->log();
  EXPECT_TRUE(eventually([&] { return said("wild", "PartiallyInvalid").empty(); })) << rig_->log();
  EXPECT_EQ(asked("elsewhere"), "a");
}

}  // namespace
}  // namespace fairway::gateway
