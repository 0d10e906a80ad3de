// SPDX-License-Identifier: Apache-2.0

// Definitions of ClusterVersion that are narrower than what is to be written.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "operators/edited_definition.h"
#include "operators/update_lists.h"
#include "schema/schema.h"
#include "schema/validator.h"

namespace fairway::operators {
namespace {

using testing::edited_crd;
using testing::member_of;

constexpr const char* answer = R"({"nodes":[
  {"version":"4.6.23","payload":"r@23"},
  {"version":"4.6.24","payload":"r@24","metadata":{"url":"https://example.com/24"}},
  {"version":"4.6.25","payload":"r@25"},
  {"version":"4.6.26","payload":"r@26"},
  {"version":"4.6.27","payload":"r@27"}],
 "edges":[[0,1],[0,2]],
 "conditionalEdges":[
  {"edges":[{"from":"4.6.23","to":"4.6.26"}],"risks":[
   {"name":"Always","url":"https://example.com/a","message":"m","matchingRules":[{"type":"Always"}]}]},
  {"edges":[{"from":"4.6.23","to":"4.6.27"}],"risks":[
   {"name":"Query","url":"https://example.com/q","message":"A longer message.",
    "matchingRules":[{"type":"PromQL","promql":{"promql":"q"}}]},
   {"name":"Always","url":"https://example.com/a","message":"m","matchingRules":[{"type":"Always"}]}]}]})";

/// Returns a status written for a definition. The query does not match; what is `Always` does.
openshift::ClusterVersion written(const ServedDefinition& definition) {
  Query query;
  query.channel = "stable-4.6";
  query.version = "4.6.23";
  const auto available = read_available_updates(answer, query, "https://example.com").value();
  std::vector<risk::UpdateVerdict> verdicts;
  for (const risk::ConditionalUpdate& update : available.updates) {
    risk::UpdateVerdict verdict;
    for (const graph::Risk& risk : update.risks) {
      verdict.risks.emplace_back();
      verdict.risks.back().outcome =
          risk.name == "Query" ? risk::Outcome::does_not_match : risk::Outcome::matches;
    }
    verdict.recommended = risk::recommended(update.risks, verdict.risks);
    verdict.evaluating = {risk::Status::is_true, "PeriodicallyEvaluating", "As it should be."};
    verdicts.push_back(std::move(verdict));
  }
  const risk::Registry registry = risk::standard_registry();
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  cluster.set("status.capabilities", json::Object{{"enabledCapabilities", json::Array{"Build", "Console"}},
                                                  {"knownCapabilities", json::Array{"Build", "Console"}}});
  cluster.array("status.history")
      .push_back(json::Object{{"state", "Completed"},
                              {"startedTime", "2026-02-19T12:00:00Z"},
                              {"completionTime", "2026-02-19T12:00:00Z"},
                              {"version", "4.6.23"},
                              {"image", "r@23"},
                              {"verified", false},
                              {"acceptedRisks", "Something."}});
  UpdateInputs inputs;
  inputs.current = {.version = "4.6.23", .image = "r@23", .url = "https://example.com/23"};
  inputs.retrieved = retrieved();
  inputs.available = &available;
  inputs.verdicts = verdicts;
  inputs.registry = &registry;
  inputs.accept_risks = true;
  inputs.definition = &definition;
  const payload::UnlistedUpdates unlisted = write_updates(cluster, inputs);
  EXPECT_EQ(cluster.available_updates().size() + unlisted.available.size(), 2U);
  EXPECT_EQ(cluster.conditional_updates().size() + unlisted.conditional.size(), 2U);
  definition.fit(cluster);
  return cluster;
}

std::string versions(const openshift::ClusterVersion& cluster) {
  std::string all;
  for (const auto& release : cluster.available_updates()) all += std::string(release.version()) + " ";
  all += '|';
  for (const auto& update : cluster.conditional_updates())
    all += " " + std::string(update.release().version());
  return all;
}

struct Narrower {
  const char* what;
  const char* part;     ///< path in the schema of the status
  const char* members;  ///< keywords that it gets; null: it goes
  const char* listed;   ///< "available | conditional"
  const char* named;    ///< in IncompleteUpdates; "": nothing
};

constexpr const char* all = "4.6.25 4.6.24 | 4.6.27 4.6.26";

const Narrower narrower[] = {
    {"nothing", "", "{}", all, ""},
    {"types of rules",
     "conditionalUpdates.items.properties.risks.items.properties.matchingRules.items.properties.type",
     R"({"enum":["Always"]})", "4.6.25 4.6.24 | 4.6.26",
     "risk Query of the update to 4.6.27: it has no rule that can be listed"},
    {"lengths of messages", "conditionalUpdates.items.properties.risks.items.properties.message",
     R"({"maxLength":10})", "4.6.25 4.6.24 | 4.6.26", "the update to 4.6.27: it cannot be listed"},
    {"patterns of names", "conditionalUpdates.items.properties.risks.items.properties.name",
     R"({"pattern":"^A"})", "4.6.25 4.6.24 | 4.6.26", "the update to 4.6.27: it cannot be listed"},
    {"counts of risks", "conditionalUpdates.items.properties.risks", R"({"maxItems":1})",
     "4.6.25 4.6.24 | 4.6.26", "the update to 4.6.27: it cannot be listed"},
    {"counts of conditional updates", "conditionalUpdates", R"({"maxItems":1})", "4.6.25 4.6.24 | 4.6.27",
     "the update to 4.6.26: there are more than can be listed"},
    {"counts of available updates", "availableUpdates", R"({"maxItems":1})", "4.6.25 | 4.6.27 4.6.26",
     "more updates are recommended than can be listed"},
    {"images of releases", "availableUpdates.items.properties.image", R"({"pattern":"^r@24$"})",
     "4.6.24 | 4.6.27 4.6.26", "release 4.6.25: it cannot be listed"},
    {"a definition without conditional updates", "conditionalUpdates", nullptr, "4.6.25 4.6.24 |",
     "the update to 4.6.27: the definition of ClusterVersion takes none"},
    {"names of risks of updates", "conditionalUpdates.items.properties.riskNames.items", R"({"maxLength":1})",
     all, ""},
    {"a definition without the list of risks", "conditionalUpdateRisks", nullptr, all, ""},
    {"capabilities", "capabilities.properties.knownCapabilities.items", R"({"enum":["Build"]})", all,
     "status.capabilities.knownCapabilities[1] is left out"},
    {"what is enabled", "capabilities.properties.enabledCapabilities.items", R"({"enum":["Console"]})", all,
     "status.capabilities.enabledCapabilities[0] is left out"},
    {"a definition without capabilities", "capabilities", nullptr, all, ""},
};

TEST(ServedDefinitionTest, NarrowerOnesGetWhatTheyTake) {
  for (const Narrower& one : narrower) {
    SCOPED_TRACE(one.what);
    const json::Object crd = edited_crd([&](json::Object& status) {
      if (std::string_view(one.part).empty()) return;
      if (one.members == nullptr) {
        status["properties"].as_object().erase(one.part);
        return;
      }
      json::Object& part = member_of(status, one.part);
      const json::Value members = json::parse(one.members).value();
      for (const auto& [key, value] : members.as_object()) part[key] = value;
    });
    const auto definition = ServedDefinition::read(crd);
    ASSERT_TRUE(definition);
    const openshift::ClusterVersion cluster = written(*definition);
    EXPECT_EQ(versions(cluster), one.listed);
    const auto incomplete = cluster.condition(incomplete_updates);
    const std::string said = incomplete ? std::string(incomplete->message()) : "";
    EXPECT_EQ(said.empty(), std::string_view(one.named).empty()) << said;
    EXPECT_TRUE(said.contains(one.named)) << said;
    const json::Object& schema = crd.at("spec")
                                     .as_object()
                                     .at("versions")
                                     .as_array()
                                     .at(0)
                                     .as_object()
                                     .at("schema")
                                     .as_object()
                                     .at("openAPIV3Schema")
                                     .as_object();
    const schema::Validator validator(*schema::member_schema(schema, "status"));
    for (const auto& problem : validator.validate(*cluster.find("status")))
      ADD_FAILURE() << problem.to_string();
  }
}

// What the operator goes by: half an update would become a completed one without it, and an update that is
// blocked would begin.
TEST(ServedDefinitionTest, WhatTheOperatorGoesByStays) {
  const struct {
    const char *part, *members;
  } rows[] = {
      {"history", R"({"maxItems":1})"},
      {"history.items", R"({"required":["state","one_more"]})"},
      {"history.items.properties.state", R"({"enum":["Completed"]})"},
      {"history.items.properties.acceptedRisks", R"({"maxLength":3})"},
      {"conditions", R"({"maxItems":1})"},
      {"conditions.items", R"({"required":["type","one_more"]})"},
      {"conditions.items.properties.reason", R"({"maxLength":1})"},
      {"desired.properties.url", R"({"maxLength":3})"},
      {"desired.properties.version", R"({"maxLength":3})"},
      {"observedGeneration", R"({"minimum":7})"},
      {"versionHash", R"({"minLength":7})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.part) + row.members);
    const auto definition = testing::edited_definition([&](json::Object& status) {
      json::Object& part = member_of(status, row.part);
      const json::Value members = json::parse(row.members).value();
      for (const auto& [key, value] : members.as_object()) part[key] = value;
    });
    ASSERT_TRUE(definition);
    openshift::ClusterVersion cluster = written(*ServedDefinition::own());
    json::Object partial = cluster.array("status.history").at(0).as_object();
    partial["state"] = "Partial";
    partial["completionTime"] = nullptr;
    cluster.array("status.history").insert(cluster.array("status.history").begin(), partial);
    const json::Value before = *cluster.find("status");
    EXPECT_TRUE(definition->fit(cluster).empty());
    EXPECT_EQ(json::to_text(*cluster.find("status")), json::to_text(before));
  }
}

TEST(ServedDefinitionTest, RefusalsSayWhatHasToGo) {
  const openshift::ClusterVersion cluster = written(*ServedDefinition::own());
  const auto parts = [&](const std::vector<std::string>& fields, const std::string& message = "no") {
    k8s::Status answer = k8s::Status::failure(k8s::reason::invalid, message);
    for (const std::string& field : fields) answer.add_cause("FieldValueInvalid", message, field);
    std::string shown;
    for (const std::string& part : ServedDefinition::refused_parts(answer, cluster)) {
      for (const char c : part + ";") shown += c == '\n' ? '/' : c;
    }
    return shown;
  };
  EXPECT_EQ(parts({"status.conditionalUpdates[0].risks[0].name"}), "conditionalUpdates/4.6.27/r@27;");
  EXPECT_EQ(parts({"status.availableUpdates[1]", "status.capabilities.knownCapabilities[0]", "<nil>"}),
            "availableUpdates/4.6.24/r@24;capabilities.knownCapabilities/Build;");
  EXPECT_EQ(parts({"status.conditionalUpdates"}), "conditionalUpdates;");
  // Nothing else may be left out.
  EXPECT_EQ(parts({"spec.channel", "status", "status.desired", "status.desired.url", "status.history",
                   "status.history[0]", "status.history[0].acceptedRisks", "status.conditions[0].reason",
                   "status.conditions[0]", "status.capabilities", "status.capabilities.knownCapabilities",
                   "status.observedGeneration", "status.versionHash", "status.availableUpdates[9]", ""}),
            "");
  // A message may quote what a service says.
  EXPECT_EQ(parts({"status.conditionalUpdates[0].risks[0].message"},
                  "status.conditionalUpdates[0].risks[0].message: Invalid value: \"see status.history: gone, "
                  "status.availableUpdates[0]: gone\": no"),
            "conditionalUpdates/4.6.27/r@27;");
}

TEST(ServedDefinitionTest, WhatIsRefusedIsLeftOut) {
  const struct {
    std::set<std::string> parts;
    const char *listed, *named;
  } rows[] = {
      {{"conditionalUpdates\n4.6.27\nr@27"},
       "4.6.25 4.6.24 | 4.6.26",
       "the update to 4.6.27: it cannot be listed"},
      {{"availableUpdates\n4.6.24\nr@24"}, "4.6.25 | 4.6.27 4.6.26", "release 4.6.24: it cannot be listed"},
      {{"conditionalUpdates"},
       "4.6.25 4.6.24 |",
       "the update to 4.6.27: the definition of ClusterVersion takes none"},
      {{"capabilities.knownCapabilities\nBuild"},
       all,
       "status.capabilities.knownCapabilities[0] is left out"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(*row.parts.begin());
    const auto definition = ServedDefinition::own()->with_refused(row.parts);
    ASSERT_TRUE(definition);
    EXPECT_FALSE(definition->with_refused(row.parts)) << "nothing new is learnt";
    const openshift::ClusterVersion cluster = written(*definition);
    EXPECT_EQ(versions(cluster), row.listed);
    ASSERT_TRUE(cluster.condition(incomplete_updates));
    EXPECT_TRUE(cluster.condition(incomplete_updates)->message().contains(row.named))
        << cluster.condition(incomplete_updates)->message();
  }
}

}  // namespace
}  // namespace fairway::operators
