// SPDX-License-Identifier: Apache-2.0

// Plans as text and as data, their commands, and the bounds of all of them.
#include "adm/plan/show_plan.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adm/internal/plan/plan_commands.h"
#include "adm/plan/plan.h"
#include "adm/plan_graphs.h"
#include "base/json.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using fairway::testing::chain_of;
using fairway::testing::cluster_at;
using fairway::testing::plan_of;
using fairway::testing::risk_of;
using openshift::ClusterVersion;

TEST(ShowPlan, is_bounded_whatever_the_service_says) {
  std::vector<graph::Risk> risks;
  for (int i = 0; i < 100; ++i)
    risks.push_back(risk_of("Risk" + std::to_string(1000 + i), i == 0 ? std::string(1 << 20, 'm') : "m"));
  const ClusterVersion cluster = cluster_at("4.6.0");
  const Plan plan = plan_of(chain_of(200, risks), cluster, "4.6.200", {});
  ASSERT_EQ(plan.paths.size(), 1u);
  EXPECT_EQ(plan.paths[0].hops.size(), 200u);
  EXPECT_EQ(plan.paths[0].open.count(), 100u);
  const CommandResult shown = show(plan, cluster, {}, {.graphs = "g"}, {});
  EXPECT_LT(shown.out.size(), 1u << 20);
  EXPECT_LT(json::to_text(shown.data).size(), 1u << 20);
  EXPECT_TRUE(shown.out.contains("\nPath 1: 200 updates, 100 risks")) << shown.out.substr(0, 2'000);
  EXPECT_TRUE(shown.out.contains("Risk1019 and 80 more\n"));
  EXPECT_TRUE(shown.out.contains("\n     - and 80 more\n"));
  EXPECT_TRUE(shown.out.contains("\n  And 150 more updates up to 4.6.200.\n"));
  EXPECT_TRUE(shown.out.contains("mmm... u\n"));
  const json::Object& path = shown.data.at("paths").at(0).as_object();
  EXPECT_EQ(path.at("moreHops"), 150);
  EXPECT_EQ(path.at("hops").as_array().size(), 50u);
  EXPECT_EQ(path.at("moreRisks"), 80);
  EXPECT_EQ(path.at("hops").at(0).at("moreRisks"), 80);
  EXPECT_EQ(path.at("hops").at(0).at("risks").as_array().size(), 20u);
}

TEST(ShowPlan, cuts_no_character_in_two) {
  std::string message(998, 'm');
  for (int i = 0; i < 10; ++i) message += "\u00e9";
  const ClusterVersion cluster = cluster_at("4.6.0");
  const Plan plan = plan_of(chain_of(1, {risk_of("RiskA", message)}), cluster, "4.6.1", {});
  const CommandResult shown = show(plan, cluster, {}, {.graphs = "g"}, {});
  EXPECT_TRUE(is_utf8(shown.out));
  EXPECT_TRUE(is_utf8(json::to_text(shown.data)));
  EXPECT_TRUE(shown.out.contains("mm... u\n")) << shown.out;
}

TEST(ShowPlan, says_that_an_accepted_risk_of_every_cluster_is_judged_for_good) {
  ClusterVersion cluster(json::parse(R"({"spec": {"channel": "stable-4.6",
      "desiredUpdate": {"acceptRisks": [{"name": "RiskA"}]}}, "status": {"desired": {"version": "4.6.0"},
      "conditionalUpdateRisks": [{"name": "RiskX", "message": "m", "matchingRules": [{"type": "Always"}],
        "conditions": [{"type": "Applies", "status": "True", "reason": "Match", "message": ""}]}]}})")
                             .value()
                             .as_object());
  const auto judge = [](const std::vector<const graph::Risk*>& risks) {
    return std::vector<JudgedRisk>(risks.size(), judge_without_cluster(*risks.at(0)));
  };
  const Plan plan = make_plan(chain_of(1, {risk_of("RiskA", "m")}), cluster, "4.6.1", judge).value();
  const CommandResult shown = show(plan, cluster, {}, {.graphs = "g"}, {});
  const json::Value& risk = shown.data.at("paths").at(0).at("hops").at(0).at("risks").at(0);
  EXPECT_EQ(risk.at("state"), "accepted");
  EXPECT_EQ(risk.at("judged"), "always");
}

TEST(ShowPlan, names_the_service_that_the_operator_asks_instead) {
  const ClusterVersion cluster = cluster_at("4.6.0");
  const Plan plan = plan_of(chain_of(1, {risk_of("RiskA", "m")}), cluster, "4.6.1", {});
  const auto shown = [&](std::optional<std::string> service) {
    return show(plan, cluster, {}, {.graphs = "g", .operator_service = std::move(service)}, {});
  };
  EXPECT_TRUE(shown("https://e/graph")
                  .out.contains("\nThe cluster's operator asks another service, "
                                "https://e/graph, and offers the updates of that one "
                                "only.\n"));
  EXPECT_TRUE(shown("").out.contains("asks another service, its default, and"));
  EXPECT_EQ(shown("").data.at("operatorService"), "");
  EXPECT_FALSE(shown({}).out.contains("another service"));
  EXPECT_FALSE(shown({}).data.contains("operatorService"));
}

TEST(ShowPlan, says_that_the_architecture_is_a_guess) {
  const ClusterVersion cluster = cluster_at("4.6.0");
  const Plan plan = plan_of(chain_of(1, {risk_of("RiskA", "m")}), cluster, "4.6.1", {});
  const auto shown = [&](bool is_known) {
    return show(plan, cluster, {}, {.graphs = "g", .arch = "amd64", .is_arch_known = is_known}, {}).out;
  };
  EXPECT_TRUE(
      shown(false).contains("\nClusterVersion names no architecture: the plan is for amd64, and may be "
                            "wrong for nodes of another one.\n"))
      << shown(false);
  EXPECT_FALSE(shown(true).contains("names no architecture"));
}

TEST(PlanNotes, say_what_the_client_refuses_and_when_to_plan_again) {
  const ClusterVersion gate_off = cluster_at("4.6.0");
  const ClusterVersion gate_on(json::parse(R"({"spec": {"channel": "stable-4.6"}, "status": {
      "desired": {"version": "4.6.0"}, "conditionalUpdateRisks": [{"name": "RiskX", "message": "m",
        "conditions": [{"type": "Applies", "status": "True", "reason": "Match", "message": ""}]}]}})")
                                   .value()
                                   .as_object());
  const auto notes = [](const PlannedHop& hop, bool is_first, const ClusterVersion& cluster) {
    return join(
        notes_of(hop, is_first, cluster, {.upgrade = "fairway adm upgrade", .cluster = " --context=p"}), "|");
  };
  PlannedHop hop{.from = "4.6.0", .to = "4.6.1", .channel = "c"};
  EXPECT_EQ(notes(hop, false, gate_off), "");
  hop.applying.names = {"RiskA"};
  EXPECT_EQ(notes(hop, true, gate_off), "");
  EXPECT_EQ(notes(hop, false, gate_off), "Make the plan again first: the risks are judged as of now.");
  EXPECT_EQ(notes(hop, false, gate_on), "Make the plan again first: the risks are judged as of now.");
  hop.applying.names = {"RiskA", "RiskB-"};
  EXPECT_EQ(notes(hop, true, gate_on),
            "The client refuses this update: RiskB- cannot be accepted by name. To take it all the same, add "
            "--allow-not-recommended.");
  hop.applying = {.names = {"RiskA"}, .more = 3};
  EXPECT_EQ(notes(hop, true, gate_on),
            "The client refuses this update until 3 more risks without room here are accepted. Make the plan "
            "again to see them.");
  hop.applying = {.names = {"RiskA"}};
  hop.is_objected_to = true;
  EXPECT_EQ(notes(hop, true, gate_on),
            "The client refuses this update for what the operator says against it, which these commands do "
            "not accept. To take it all the same, add --allow-not-recommended.");
  hop.is_objected_to = false;
  // The operator judges the updates of a channel when the cluster is in it.
  hop.changes_channel = true;
  for (const ClusterVersion& cluster : {gate_off, gate_on})
    EXPECT_EQ(notes(hop, true, cluster),
              "Make the plan again when the channel is changed: the operator may say more then.");
  hop.changes_channel = false;
  hop.unknown.names = {"RiskU"};
  EXPECT_EQ(notes(hop, false, gate_off),
            "The client refuses this update while nobody can judge RiskU. Make the plan again first: it may "
            "say more then. To take it all the same, add --allow-not-recommended.");
  hop.is_offered = false;
  EXPECT_EQ(notes(hop, true, gate_off),
            "The client refuses this update while the operator does not offer it. What it offers: `fairway "
            "adm upgrade --context=p`.");
}

TEST(PlanCommands, are_for_the_cluster_of_the_plan) {
  const Caller caller{.upgrade = "fairway adm upgrade", .client = "kubectl", .cluster = " --context=p"};
  PlannedHop hop{.from = "4.6.0", .to = "4.6.1", .channel = "c", .changes_channel = true};
  EXPECT_EQ(join(commands_of(hop, cluster_at("4.6.0"), caller), "|"),
            "fairway adm upgrade channel c --context=p|fairway adm upgrade --to 4.6.1 --wait --context=p");
  hop.to += "-" + std::string(300, 'a');
  EXPECT_TRUE(commands_of(hop, cluster_at("4.6.0"), caller).empty());
}

}  // namespace
}  // namespace fairway::adm
