// SPDX-License-Identifier: Apache-2.0

// What becomes of an update whose risks are accepted, or could not be evaluated.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "operators/update_lists.h"
#include "support/table.h"

namespace fairway::operators {
namespace {

const WallTime now = parse_time("2026-02-19T12:00:00Z").value();

risk::RiskVerdict verdict_of(char said) {
  risk::RiskVerdict verdict{.outcome = said == 'y'   ? risk::Outcome::matches
                                       : said == 'n' ? risk::Outcome::does_not_match
                                                     : risk::Outcome::failed,
                            .error = said == '?' ? "nobody answers" : "",
                            .rule_type = "PromQL",
                            .recognized = true};
  return verdict;
}

/// Returns a ClusterVersion with an update to 4.6.30 that has these risks ("A=y B=?"), of which some are
/// accepted ("B").
openshift::ClusterVersion written(const std::string& risks, const std::string& accepted) {
  AvailableUpdates available;
  available.current = {.version = "4.6.23", .image = "registry.example.com/release:4.6.23"};
  available.targets.push_back({.version = "4.6.30", .image = "registry.example.com/release:4.6.30"});
  risk::ConditionalUpdate update{.target = Version::parse("4.6.30").value(), .risks = {}};
  risk::UpdateVerdict verdict;
  for (const std::string_view one : split(risks, ' ')) {
    const std::string name(one.substr(0, one.find('=')));
    graph::Risk risk;
    risk.url = "https://example.com/" + name;
    risk.name = name;
    risk.message = name + " message.";
    risk.matching_rules =
        json::Array{json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", "q" + name}}}}};
    update.risks.push_back(std::move(risk));
    verdict.risks.push_back(verdict_of(one.back()));
  }
  verdict.recommended = risk::recommended(update.risks, verdict.risks);
  verdict.evaluating = risk::evaluating(update.risks, verdict.risks);
  available.updates.push_back(std::move(update));
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  json::Array names;
  for (const std::string_view name : split(accepted, ' ')) names.push_back(json::Object{{"name", name}});
  cluster.set("spec.desiredUpdate", json::Object{{"acceptRisks", std::move(names)}});
  const std::vector<risk::UpdateVerdict> verdicts{std::move(verdict)};
  const risk::Registry registry = risk::standard_registry();
  UpdateInputs inputs;
  inputs.current = available.current;
  inputs.retrieved = retrieved();
  inputs.available = &available;
  inputs.verdicts = verdicts;
  inputs.registry = &registry;
  inputs.accept_risks = true;
  inputs.now = now;
  write_updates(cluster, inputs);
  return cluster;
}

TEST(AcceptedRisks, AreReasonsAsTheOthers) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/operators/data/accepted_risks.tsv")) {
    SCOPED_TRACE(row.at(0) + ", accepted: " + row.at(1));
    const auto cluster = written(row.at(0), row.at(1));
    const auto updates = cluster.conditional_updates();
    ASSERT_EQ(updates.size(), 1U);
    const auto recommended = updates[0].condition("Recommended");
    ASSERT_TRUE(recommended);
    EXPECT_EQ(k8s::to_string(recommended->status()), row.at(2));
    EXPECT_EQ(recommended->reason(), row.at(3));
    EXPECT_EQ(cluster.available_updates().size(), row.at(2) == "True" ? 1U : 0U);
  }
}

TEST(AcceptedRisks, SayWhyTheyCouldNotBeEvaluatedInTheWordsOfTheUpdate) {
  const auto cluster = written("A=?", "A");
  const auto update = cluster.conditional_updates().at(0);
  const std::string message =
      "Unable to evaluate PromQL to determine if the cluster is impacted by A (nobody answers). "
      "https://example.com/A";
  EXPECT_EQ(update.condition("Recommended")->message(), message);
  const k8s::View listed = cluster.items("status.conditionalUpdateRisks").at(0);
  for (const k8s::View& risk : {update.items("risks").at(0), listed}) {
    const k8s::View applies = risk.items("conditions").at(0);
    EXPECT_EQ(applies.text("status"), "Unknown");
    EXPECT_EQ(applies.text("reason"), "EvaluationFailed");
    EXPECT_EQ(applies.text("message"), message);
  }
}

}  // namespace
}  // namespace fairway::operators
