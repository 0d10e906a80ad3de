// SPDX-License-Identifier: Apache-2.0

// Graphs and clusters that tests make plans of.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adm/plan/plan.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/merged_graph.h"

namespace fairway::testing {

using adm::JudgedRisk;
using adm::Plan;
using adm::RiskState;
using openshift::ClusterVersion;

/// Makes the graph of a channel: updates as "4.1.0 4.1.2 RiskA RiskB". The rule of a risk is a query with its
/// name, or `Always` where the name begins so.
inline graph::ChannelGraph channel_of(std::string_view name, const json::Array& updates) {
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

inline ClusterVersion cluster_at(const char* version) {
  return ClusterVersion(
      json::Object{{"spec", json::Object{{"channel", "stable-4.6"}}},
                   {"status", json::Object{{"desired", json::Object{{"version", version}}}}}});
}

/// A plan of a cluster at 4.6.1, where each risk applies.
inline Plan plan_of(const graph::MergedGraph& graph, const ClusterVersion& cluster, std::string_view to,
                    graph::SearchBudget budget) {
  const auto judge = [](const std::vector<const graph::Risk*>& risks) {
    return std::vector<JudgedRisk>(risks.size(), JudgedRisk{.state = RiskState::applies});
  };
  return adm::make_plan(graph, cluster, to, judge, budget).value();
}

/// Makes a channel of a chain of updates from 4.6.0 on, each with all of these risks.
inline graph::MergedGraph chain_of(int hops, const std::vector<graph::Risk>& risks) {
  graph::ChannelGraph channel{.channel = "stable-4.6"};
  graph::ConditionalEdges group{.risks = risks};
  for (int i = 0; i <= hops; ++i) {
    channel.graph.nodes.push_back({.version = "4.6." + std::to_string(i), .payload = "i"});
    const auto at = static_cast<std::uint32_t>(i);
    if (i > 0) group.edges.emplace_back(at - 1, at);
  }
  channel.graph.conditional_edges.push_back(std::move(group));
  return graph::merge({channel});
}

inline graph::Risk risk_of(const std::string& name, std::string message) {
  return {.url = "u", .name = name, .message = std::move(message), .matching_rules = graph::always_rule()};
}

}  // namespace fairway::testing
