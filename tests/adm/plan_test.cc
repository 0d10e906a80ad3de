// SPDX-License-Identifier: Apache-2.0

// Plans of several updates, as tests/adm/data/plan.json has them.
#include "adm/plan/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "adm/cluster_states.h"
#include "adm/internal/plan/estimate.h"
#include "adm/internal/plan/plan_commands.h"
#include "adm/internal/plan/waits.h"
#include "adm/plan/progress.h"
#include "adm/plan/show_plan.h"
#include "adm/plan_graphs.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using fairway::testing::chain_of;
using fairway::testing::channel_of;
using fairway::testing::cluster_at;
using fairway::testing::field;
using fairway::testing::plan_of;
using fairway::testing::risk_of;
using openshift::ClusterVersion;

ClusterVersion cluster_of(const json::Value& one) {
  json::Object document{{"apiVersion", "config.openshift.io/v1"}, {"kind", "ClusterVersion"}};
  for (const char* part : {"spec", "status"})
    if (const json::Value* found = json::find(one, part)) document[part] = *found;
  return ClusterVersion(std::move(document));
}

std::vector<k8s::Dynamic> objects_of(const json::Value& one, const char* key) {
  std::vector<k8s::Dynamic> objects;
  if (const json::Value* list = json::find(one, key))
    for (const json::Value& object : list->as_array()) objects.emplace_back(json::Object(object.as_object()));
  return objects;
}

ClusterFacts facts_of(const json::Value& one) {
  ClusterFacts facts;
  for (k8s::Dynamic& object : objects_of(one, "operators")) facts.operators.emplace_back(object.release());
  for (k8s::Dynamic& object : objects_of(one, "definitions"))
    facts.definitions.emplace_back(object.release());
  facts.pools = objects_of(one, "pools");
  facts.budgets = objects_of(one, "budgets");
  if (const json::Value* minor = json::find(one, "kubernetesMinor"))
    facts.kubernetes_minor = static_cast<std::uint64_t>(minor->as_int64());
  if (const json::Value* apis = json::find(one, "deprecated")) {
    for (const json::Value& api : apis->as_array()) {
      const auto words = split(std::string_view(api.as_string()), ' ');
      facts.deprecated_apis.push_back({.group = std::string(words[0]),
                                       .version = std::string(words[1]),
                                       .resource = std::string(words[2]),
                                       .removed_in = std::stoull(std::string(words[3]))});
    }
  }
  return facts;
}

std::vector<std::string> texts(const json::Value& one, const char* key) {
  std::vector<std::string> list;
  if (const json::Value* found = json::find(one, key))
    for (const json::Value& text : found->as_array()) list.emplace_back(text.as_string());
  return list;
}

graph::MergedGraph graph_of(const json::Value& one) {
  std::vector<graph::ChannelGraph> channels;
  for (const auto& channel : field(one, "channels").as_object())
    channels.push_back(channel_of(channel.key(), channel.value().as_array()));
  return graph::merge(channels);
}

/// Judges by the lists of a case; counts what it was asked.
JudgeRisks judge_of(const json::Value& one, const ClusterVersion& cluster,
                    std::multiset<std::string>& asked) {
  return [&](const std::vector<const graph::Risk*>& risks) {
    std::vector<JudgedRisk> verdicts;
    const auto harmless = texts(one, "harmless"), unknown = texts(one, "unknown");
    const auto has = [](const auto& list, const auto& name) {
      return std::ranges::find(list, name) != list.end();
    };
    for (const graph::Risk* risk : risks) {
      asked.insert(risk->name);
      JudgedRisk verdict = judge_without_cluster(*risk);
      if (json::find(one, "byOperator") != nullptr) {
        verdict = OperatorVerdicts(cluster).judge(*risk);
      } else if (has(unknown, risk->name)) {
        verdict.reason = "no data";
      } else if (!verdict.is_fixed) {
        verdict.state = has(harmless, risk->name) ? RiskState::does_not_apply : RiskState::applies;
      }
      verdicts.push_back(std::move(verdict));
    }
    return verdicts;
  };
}

/// Returns a path as the table has it: each hop "FROM TO CHANNEL", and its risks as "NAME=STATE".
json::Array text_of(const PlannedPath& path) {
  json::Array hops;
  for (const PlannedHop& hop : path.hops) {
    std::string text = hop.from + " " + hop.to + " " + hop.channel;
    for (const PlannedRisk& one : hop.risks)
      text += " " + one.risk->name + "=" + std::string(to_string(one.judged.state));
    hops.emplace_back(text);
  }
  return hops;
}

void check_first_path(const json::Value& one, const Plan& plan, const ClusterVersion& cluster) {
  const Caller caller;
  const PlannedPath& path = plan.paths.front();
  if (const json::Value* wanted = json::find(one, "commands")) {
    json::Array commands;
    for (const PlannedHop& hop : path.hops)
      for (const std::string& command : commands_of(hop, cluster, caller)) commands.emplace_back(command);
    EXPECT_EQ(json::to_text(commands), json::to_text(*wanted));
  }
  if (const json::Value* wanted = json::find(one, "waits")) {
    json::Array waits;
    for (const auto& of_hop : waits_of(path, cluster, facts_of(one), caller)) {
      json::Array kinds;
      for (const HopWait& wait : of_hop) {
        kinds.emplace_back(wait.kind + (wait.what.holds_up ? ": " : "? ") + wait.what.what);
        EXPECT_FALSE(wait.what.help.empty()) << wait.kind;
      }
      waits.emplace_back(std::move(kinds));
    }
    EXPECT_EQ(json::to_text(waits), json::to_text(*wanted));
  }
}

TEST(Plan, has_the_paths_of_each_case_of_the_table) {
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/adm/data/plan.json")) {
    SCOPED_TRACE(std::string(field(one, "name").as_string()));
    const ClusterVersion cluster = cluster_of(one);
    const graph::MergedGraph graph = graph_of(one);
    std::multiset<std::string> asked;
    const auto plan = make_plan(graph, cluster, std::string_view(field(one, "to").as_string()),
                                judge_of(one, cluster, asked));
    if (const json::Value* error = json::find(one, "error")) {
      ASSERT_FALSE(plan.has_value());
      EXPECT_EQ(plan.error().message, std::string_view(error->as_string()));
      continue;
    }
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    const json::Value* reason = json::find(one, "reason");
    EXPECT_EQ(plan->reason, reason == nullptr ? "" : std::string_view(reason->as_string()));
    json::Array paths;
    for (const PlannedPath& path : plan->paths) paths.push_back(text_of(path));
    EXPECT_EQ(json::to_text(paths), json::to_text(field(one, "paths")));
    for (const std::string& name : asked) EXPECT_EQ(asked.count(name), 1u) << name << " was judged again";
    if (const json::Value* wanted = json::find(one, "asked")) {
      EXPECT_EQ(json::to_text(json::Array(asked.begin(), asked.end())), json::to_text(*wanted));
    }
    if (!plan->paths.empty()) check_first_path(one, *plan, cluster);
  }
}

TEST(OperatorVerdicts, say_why_there_is_none) {
  const OperatorVerdicts verdicts(ClusterVersion(json::parse(R"({"status": {"conditionalUpdates": [
      {"release": {"version": "4.6.2"}, "risks": [{"name": "RiskA"}, {"name": "RiskB"}],
        "conditions": [{"type": "Recommended", "status": "False", "reason": "MultipleReasons"}]},
      {"release": {"version": "4.6.3"}, "risks": [{"name": "RiskD", "matchingRules": [{"type": "Always"}]}],
        "conditions": [{"type": "Recommended", "status": "True", "reason": "AsExpected"}]}]}})")
                                                     .value()
                                                     .as_object()));
  const auto reason = [&](const char* name) { return verdicts.judge({.name = name}).reason; };
  EXPECT_EQ(reason("RiskB"),
            "the operator judges its update as a whole, and does not say whether this risk applies");
  EXPECT_EQ(reason("RiskD"), "the operator has judged a risk of this name by other rules only");
  EXPECT_EQ(reason("RiskC"),
            "the operator has not judged it: it judges the risks of the updates that it lists");
}

TEST(Plan, says_that_it_is_not_complete_where_the_budget_did_not_last) {
  const graph::MergedGraph graph = graph::merge({channel_of(
      "stable-4.6", {"4.6.1 4.6.4 A B", "4.6.1 4.6.2", "4.6.2 4.6.4 A", "4.6.2 4.6.3", "4.6.3 4.6.4"})});
  const ClusterVersion cluster = cluster_at("4.6.1");
  const PlanOrigin origin{.graphs = "g", .arch = "amd64", .judge = "nobody"};
  for (const std::size_t steps : {0, 1, 10, 100, 1'000, 5'000}) {
    SCOPED_TRACE(steps);
    const Plan plan = plan_of(graph, cluster, "4.6.4", {.steps = steps});
    EXPECT_FALSE(plan.is_complete);
    ASSERT_FALSE(plan.paths.empty());
    for (const PlannedPath& path : plan.paths)
      for (const PlannedHop& hop : path.hops)
        for (const PlannedRisk& risk : hop.risks) EXPECT_EQ(risk.judged.state, RiskState::applies);
    const CommandResult shown = show(plan, cluster, {}, origin, {});
    EXPECT_EQ(
        shown.err,
        "warning: the plan is not complete: there are more combinations of risks than could be compared, "
        "so that a path with fewer risks may exist. Fewer channels (--channels) leave fewer "
        "combinations\n");
    EXPECT_FALSE(shown.out.contains("No path is without a risk")) << shown.out;
    EXPECT_EQ(shown.data.at("complete"), false);
  }
  const Plan plan = plan_of(graph, cluster, "4.6.4", {});
  EXPECT_EQ(plan.paths.size(), 3u);
  const CommandResult shown = show(plan, cluster, {}, origin, {});
  EXPECT_EQ(shown.err, "");
  EXPECT_EQ(shown.data.at("complete"), true);
}

TEST(Plan, says_that_it_is_not_complete_where_updates_were_left_out) {
  graph::MergedGraph graph = graph::merge({channel_of("stable-4.6", {"4.6.1 4.6.2"})});
  graph.is_complete = false;
  const ClusterVersion cluster = cluster_at("4.6.1");
  const CommandResult shown = show(plan_of(graph, cluster, "4.6.2", {}), cluster, {}, {.graphs = "g"}, {});
  EXPECT_EQ(shown.err,
            "warning: the plan is not complete: the channels have more updates, or more risks, than a plan "
            "keeps, so that a path with fewer risks may exist. Name fewer channels (--channels)\n");
  EXPECT_EQ(shown.data.at("complete"), false);
}

TEST(Plan, shares_its_budget_among_all_of_its_searches) {
  // Each search finds another path, whose risk has to be judged: 100 searches, of which few have steps.
  json::Array updates;
  for (int i = 0; i < 100; ++i) {
    const std::string middle = "4.6." + std::to_string(10 + i);
    updates.emplace_back("4.6.1 " + middle + " Risk" + std::to_string(i));
    updates.emplace_back(middle + " 4.6.999");
  }
  const graph::MergedGraph graph = graph::merge({channel_of("stable-4.6", updates)});
  std::size_t searches = 0;
  const auto judge = [&](const std::vector<const graph::Risk*>& risks) {
    ++searches;
    return std::vector<JudgedRisk>(risks.size(), JudgedRisk{.state = RiskState::applies});
  };
  const Plan whole = make_plan(graph, cluster_at("4.6.1"), "4.6.999", judge).value();
  EXPECT_TRUE(whole.is_complete);
  EXPECT_EQ(searches, 100u);
  searches = 0;
  const Plan plan = make_plan(graph, cluster_at("4.6.1"), "4.6.999", judge, {.steps = 50'000}).value();
  EXPECT_FALSE(plan.is_complete);
  ASSERT_FALSE(plan.paths.empty());
  EXPECT_LT(searches, 50u);
}

TEST(Plan, says_that_no_path_stays_in_the_stream) {
  const auto text_of_plan = [](const json::Array& stable) {
    const graph::MergedGraph graph =
        graph::merge({channel_of("stable-4.6", stable), channel_of("fast-4.6", {"4.6.1 4.6.2"})});
    const ClusterVersion cluster = cluster_at("4.6.1");
    return show(plan_of(graph, cluster, "4.6.2", {}), cluster, {}, {.graphs = "g"}, {}).out;
  };
  constexpr const char* none_stays = "\nNo path stays in the stream of channel stable-4.6.\n";
  EXPECT_TRUE(text_of_plan({"4.6.2 4.6.3"}).contains(none_stays)) << text_of_plan({"4.6.2 4.6.3"});
  EXPECT_FALSE(text_of_plan({"4.6.1 4.6.2 RiskA"}).contains(none_stays));
  EXPECT_FALSE(text_of_plan({"4.6.1 4.6.2"}).contains(none_stays));
}

TEST(Plan, keeps_the_risks_that_speak_against_a_hop_where_there_are_too_many) {
  std::vector<graph::Risk> risks;
  for (int i = 0; i < 100; ++i) risks.push_back(risk_of("Risk" + std::to_string(1000 + i), "m"));
  const auto judge = [](const std::vector<const graph::Risk*>& asked) {
    std::vector<JudgedRisk> verdicts;
    for (const graph::Risk* risk : asked)
      verdicts.push_back(
          {.state = risk->name == "Risk1099" ? RiskState::applies : RiskState::does_not_apply});
    return verdicts;
  };
  const Plan plan = make_plan(chain_of(1, risks), cluster_at("4.6.0"), "4.6.1", judge).value();
  const PlannedHop& hop = plan.paths.at(0).hops.at(0);
  ASSERT_EQ(hop.risks.size(), most_risks);
  EXPECT_EQ(hop.risks.front().risk->name, "Risk1099");
  EXPECT_EQ(hop.more_risks, 80u);
  EXPECT_EQ(hop.open.names, std::vector<std::string>{"Risk1099"});
}

TEST(Plan, keeps_the_word_of_the_operator_where_there_are_too_many_risks) {
  std::vector<graph::Risk> risks;
  for (int i = 0; i < 100; ++i) risks.push_back(risk_of("Risk" + std::to_string(1000 + i), "m"));
  const ClusterVersion cluster(json::parse(R"({"spec": {"channel": "stable-4.6"}, "status": {
      "desired": {"version": "4.6.0"}, "conditionalUpdates": [{"release": {"version": "4.6.1"},
        "risks": [{"name": "RiskZ", "message": "m", "matchingRules": [{"type": "Always"}]}],
        "conditions": [{"type": "Recommended", "status": "False", "reason": "RiskZ",
          "message": "Z hurts."}]}]}})")
                                   .value()
                                   .as_object());
  const Plan plan = plan_of(chain_of(1, risks), cluster, "4.6.1", {});
  const PlannedHop& hop = plan.paths.at(0).hops.at(0);
  ASSERT_EQ(hop.risks.size(), most_risks);
  EXPECT_EQ(hop.risks.front().risk->name, "RiskZ");
  EXPECT_EQ(hop.risks.front().risk->message, "Z hurts.");
  EXPECT_EQ(hop.open.count(), 101u);
}

TEST(Plan, shares_the_risks_of_its_hops) {
  const Plan plan = plan_of(chain_of(2, {risk_of("RiskA", "m")}), cluster_at("4.6.0"), "4.6.2", {});
  ASSERT_EQ(plan.paths.at(0).hops.size(), 2u);
  EXPECT_EQ(plan.paths[0].hops[0].risks.at(0).risk, plan.paths[0].hops[1].risks.at(0).risk);
}

TEST(Plan, ends_at_a_stop) {
  std::stop_source source;
  std::size_t asked_for = 0;
  const auto judge = [&](const std::vector<const graph::Risk*>& risks) {
    ++asked_for;
    source.request_stop();
    return std::vector<JudgedRisk>(risks.size());
  };
  const auto stopped = make_plan(chain_of(3, {risk_of("RiskA", "m")}), cluster_at("4.6.0"), "4.6.3", judge,
                                 {}, source.get_token());
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(asked_for, 1u);
  const ClusterVersion cluster = cluster_at("4.6.0");
  const Plan plan = plan_of(chain_of(3, {risk_of("RiskA", "m")}), cluster, "4.6.3", {});
  const CommandResult shown = show(plan, cluster, {}, {.graphs = "g"}, {}, source.get_token());
  EXPECT_TRUE(shown.failed());
  EXPECT_EQ(shown.err, "error: stopped showing the plan to 4.6.3\n");
  EXPECT_TRUE(shown.data.at("paths").at(0).at("hops").as_array().empty());
}

TEST(ProgressTo, compares_versions_without_their_builds) {
  const auto progress = [](const char* desired, const std::vector<std::string>& history, const char* to) {
    json::Array entries;
    for (const std::string& entry : history) {
      const auto words = split(std::string_view(entry), ' ');
      entries.push_back(json::Object{{"version", words[0]}, {"state", words[1]}});
    }
    return progress_to(
        ClusterVersion(json::Object{{"status", json::Object{{"desired", json::Object{{"version", desired}}},
                                                            {"history", std::move(entries)}}}}),
        to);
  };
  EXPECT_EQ(progress("4.6.1", {"4.6.1 Completed"}, "4.6.3"), Progress::on_the_way);
  EXPECT_EQ(progress("4.6.3", {"4.6.3 Partial", "4.6.1 Completed"}, "4.6.3"), Progress::on_the_way);
  EXPECT_EQ(progress("4.6.3", {"4.6.3 Completed"}, "4.6.3"), Progress::arrived);
  EXPECT_EQ(progress("4.6.3+amd64", {"4.6.3+amd64 Completed"}, "4.6.3"), Progress::arrived);
  EXPECT_EQ(progress("4.6.3", {"4.6.3 Completed"}, "4.6.3+x"), Progress::arrived);
  // What the cluster had before, and has left for good or for a while.
  EXPECT_EQ(progress("4.6.5", {"4.6.5 Partial", "4.6.3 Completed"}, "4.6.3"), Progress::arrived);
  EXPECT_EQ(progress("4.6.5", {"4.6.5 Completed", "4.6.3 Partial", "4.6.1 Completed"}, "4.6.3"),
            Progress::passed);
  EXPECT_EQ(progress("4.6.1", {"4.6.1 Completed", "4.6.3 Completed"}, "4.6.3"), Progress::on_the_way);
  // What it had on an earlier way, and went back from.
  EXPECT_EQ(progress("4.6.5", {"4.6.5 Completed", "4.6.1 Completed", "4.6.3 Completed"}, "4.6.3"),
            Progress::passed);
  EXPECT_EQ(
      progress("4.6.5", {"4.6.5 Partial", "4.6.4 Completed", "4.6.3 Completed", "4.6.1 Completed"}, "4.6.3"),
      Progress::arrived);
  EXPECT_EQ(progress("4.6.3", {"4.6.3 Partial", "4.6.1 Completed", "4.6.3 Completed"}, "4.6.3"),
            Progress::on_the_way);
  EXPECT_EQ(progress("", {}, "4.6.3"), Progress::on_the_way);
}

TEST(Estimate, is_the_median_of_updates_of_the_same_kind) {
  const auto entry = [](const char* version, const char* started, const char* completed) {
    return json::Object{{"state", completed == nullptr ? "Partial" : "Completed"},
                        {"version", version},
                        {"startedTime", started},
                        {"completionTime", completed == nullptr ? json::Value() : json::Value(completed)}};
  };
  json::Array history{entry("4.3.1", "2026-05-01T00:00:00Z", "2026-05-01T00:50:00Z"),
                      entry("4.2.9", "2026-04-01T00:00:00Z", nullptr),
                      entry("4.2.5", "2026-03-01T00:00:00Z", "2026-03-01T00:10:00Z"),
                      entry("4.2.2", "2026-02-01T00:00:00Z", "2026-02-01T00:20:00Z"),
                      entry("4.2.1", "2026-01-03T00:00:00Z", "2026-01-03T01:00:00Z"),
                      // Going back is no update, and one that took a month was left alone.
                      entry("4.1.1", "2026-01-02T00:00:00Z", "2026-01-02T00:01:00Z"),
                      entry("4.1.2", "2025-12-02T00:00:00Z", "2026-01-01T00:00:00Z"),
                      // The installation.
                      entry("4.1.0", "2025-12-01T00:00:00Z", "2025-12-01T09:00:00Z")};
  const auto cluster = [](json::Array entries) {
    return ClusterVersion(json::Object{{"status", json::Object{{"history", std::move(entries)}}}});
  };
  const ClusterVersion whole = cluster(history);
  const auto within = estimate_update(whole, false), to_next = estimate_update(whole, true);
  ASSERT_TRUE(within && to_next);
  EXPECT_EQ(within->usual, std::chrono::minutes(15));
  EXPECT_EQ(within->least, std::chrono::minutes(10));
  EXPECT_EQ(within->most, std::chrono::minutes(20));
  EXPECT_EQ(within->updates, 2u);
  EXPECT_TRUE(within->is_of_same_kind);
  EXPECT_EQ(to_next->usual, std::chrono::minutes(55));
  EXPECT_EQ(to_next->updates, 2u);
  const auto other = estimate_update(cluster({history[2], history[3], history[4]}), true);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->usual, std::chrono::minutes(15));
  EXPECT_FALSE(other->is_of_same_kind);
  EXPECT_FALSE(estimate_update(cluster({history.back()}), true));
  EXPECT_FALSE(estimate_update(cluster({}), true));
}

}  // namespace
}  // namespace fairway::adm
