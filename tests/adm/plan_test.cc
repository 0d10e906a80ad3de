// SPDX-License-Identifier: Apache-2.0

// Plans of several updates, as tests/adm/data/plan.json has them.
#include "adm/plan/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adm/cluster_states.h"
#include "adm/internal/plan/estimate.h"
#include "adm/internal/plan/waits.h"
#include "adm/plan/show_plan.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

using fairway::testing::field;
using openshift::ClusterVersion;

/// Makes the graph of a channel: updates as "4.1.0 4.1.2 RiskA RiskB". The rule of a risk is a query with its
/// name, or `Always` where the name begins so.
graph::ChannelGraph channel_of(std::string_view name, const json::Array& updates) {
  graph::ChannelGraph channel{.channel = std::string(name)};
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  const auto number = [&](std::string_view version) {
    const auto [at, is_new] =
        numbers.emplace(std::string(version), static_cast<std::uint32_t>(channel.graph.nodes.size()));
    if (is_new) channel.graph.nodes.push_back({.version = std::string(version), .payload = "i:" + at->first});
    return at->second;
  };
  for (const json::Value& update : updates) {
    const auto words = split(std::string_view(update.as_string()), ' ');
    const graph::IndexPair edge(number(words[0]), number(words[1]));
    graph::ConditionalEdges group{.edges = {edge}};
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::string risk(words[i]);
      json::Array rules = graph::always_rule();
      if (!risk.starts_with("Always"))
        rules = {json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", risk}}}}};
      group.risks.push_back({.url = "u", .name = risk, .message = risk + " hurts.", .matching_rules = rules});
    }
    if (group.risks.empty()) {
      channel.graph.edges.push_back(edge);
    } else {
      channel.graph.conditional_edges.push_back(std::move(group));
    }
  }
  return channel;
}

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
        verdict = judge_by_operator(*risk, cluster);
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
    for (std::size_t i = 0; i < path.hops.size(); ++i)
      for (const std::string& command : commands_of(path.hops[i], i == 0, cluster, caller))
        commands.emplace_back(command);
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
