// SPDX-License-Identifier: Apache-2.0

#include "graph/fewest_risks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stop_token>
#include <tuple>

#include "base/text.h"
#include "fixture.h"
#include "graph/merged_graph.h"

namespace fairway::graph {
namespace {

Risk risk_of(const std::string& name) {
  return {
      .url = "https://example.com/" + name, .name = name, .message = name, .matching_rules = always_rule()};
}

/// Makes the graph of a channel: updates as "4.1.0 4.1.2 RiskA RiskB".
ChannelGraph channel_of(const std::string& name, const json::Array& updates) {
  ChannelGraph channel{.channel = name};
  std::set<std::string> versions;
  const auto words = [](const json::Value& update) {
    return split(std::string_view(update.as_string()), ' ');
  };
  for (const json::Value& update : updates)
    for (std::size_t i = 0; i < 2; ++i) versions.emplace(words(update)[i]);
  for (const std::string& version : versions) {
    Node node{.version = version, .payload = "example.com/r:" + version};
    node.metadata.emplace_back(channels_key, name + ",other");
    channel.graph.nodes.push_back(std::move(node));
  }
  for (const json::Value& update : updates) {
    const auto parts = words(update);
    const IndexPair edge(*channel.graph.find(parts[0]), *channel.graph.find(parts[1]));
    if (parts.size() == 2) {
      channel.graph.edges.push_back(edge);
      continue;
    }
    ConditionalEdges group{.edges = {edge}};
    for (std::size_t i = 2; i < parts.size(); ++i) group.risks.push_back(risk_of(std::string(parts[i])));
    channel.graph.conditional_edges.push_back(std::move(group));
  }
  return channel;
}

/// Returns "4.1.0 4.1.2 4.1.5" for a path.
std::string text_of(const MergedGraph& graph, const std::vector<std::uint32_t>& path) {
  std::string text;
  for (const std::uint32_t update : path) text += graph.releases[graph.updates[update].from].version + " ";
  return text + graph.releases[graph.updates[path.back()].to].version;
}

std::size_t risks_of(const MergedGraph& graph, const std::vector<std::uint32_t>& path,
                     const std::vector<bool>& counts) {
  std::set<std::uint32_t> names;
  for (const std::uint32_t update : path)
    for (const std::uint32_t risk : graph.risks_of(graph.updates[update]))
      if (counts[risk]) names.insert(graph.name_of[risk]);
  return names.size();
}

/// tests/graph/data/fewest_risks.json: channels, and questions with their whole answers.
TEST(FindFewestRisks, GivesEachAnswerOfTheTable) {
  const auto table = testing::read_data("fewest_risks.json");
  for (const auto& entry : table.as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(entry, "name")));
    std::vector<ChannelGraph> channels;
    for (const auto& channel : json::find(entry, "channels")->as_object())
      channels.push_back(channel_of(channel.key(), channel.value().as_array()));
    const MergedGraph graph = merge(channels);
    const auto names = [&](std::string_view key) {
      std::set<std::string> list;
      if (const auto* values = json::find(entry, key))
        for (const auto& value : values->as_array()) list.emplace(value.as_string());
      return list;
    };
    const auto harmless = names("harmless"), preferred = names("preferred");
    FewestRisksQuestion question{.from = *graph.find(*json::find_string(entry, "from")),
                                 .to = *graph.find(*json::find_string(entry, "to")),
                                 .only_preferred = json::find(entry, "onlyPreferred") != nullptr};
    for (const Risk& risk : graph.risks) question.counts.push_back(!harmless.contains(risk.name));
    for (const std::string& channel : graph.channels)
      question.preferred.push_back(preferred.empty() || preferred.contains(channel));
    json::Array paths;
    const auto answer = find_fewest_risks(graph, question);
    for (const auto& path : answer.paths) paths.emplace_back(text_of(graph, path));
    EXPECT_EQ(json::to_text(paths), json::to_text(*json::find(entry, "paths")));
    EXPECT_TRUE(answer.is_complete);
  }
}

/// All pairs of random graphs beside all paths, tried one by one.
TEST(FindFewestRisks, FindsWhatAllPathsTriedOneByOneHave) {
  std::mt19937 random(7);
  std::size_t compared = 0;
  for (int round = 0; round < 200; ++round) {
    constexpr std::uint32_t releases = 8;
    json::Array updates;
    for (std::uint32_t from = 0; from < releases; ++from) {
      for (std::uint32_t to = from + 1; to < releases; ++to) {
        if (random() % 2 == 0) continue;
        std::string text = "4.1." + std::to_string(from) + " 4.1." + std::to_string(to);
        for (const char* name : {"A", "B", "C", "D", "E"})
          if (random() % 4 == 0) text += std::string(" ") + name;
        updates.emplace_back(text);
      }
    }
    if (updates.empty()) continue;
    const MergedGraph graph = merge({channel_of("c", updates)});
    std::vector<bool> counts;
    for (std::size_t i = 0; i < graph.risks.size(); ++i) counts.push_back(random() % 4 != 0);
    for (std::uint32_t from = 0; from < graph.releases.size(); ++from) {
      for (std::uint32_t to = from + 1; to < graph.releases.size(); ++to) {
        // Fewest risks for each number of hops.
        std::map<std::size_t, std::size_t> fewest;
        std::vector<std::uint32_t> path;
        const std::function<void(std::uint32_t)> walk = [&](std::uint32_t at) {
          if (at == to) {
            const std::size_t risks = risks_of(graph, path, counts);
            const auto known = fewest.emplace(path.size(), risks).first;
            known->second = std::min(known->second, risks);
            return;
          }
          for (std::uint32_t i = 0; i < graph.updates.size(); ++i) {
            if (graph.updates[i].from != at || graph.updates[i].to > to) continue;
            path.push_back(i);
            walk(graph.updates[i].to);
            path.pop_back();
          }
        };
        walk(from);
        // Each that no other one is as good as, in both: those with the fewest risks first.
        std::vector<std::pair<std::size_t, std::size_t>> wanted, found;
        for (const auto& [hops, risks] : fewest)
          if (wanted.empty() || risks < wanted.front().first) wanted.insert(wanted.begin(), {risks, hops});
        if (wanted.size() > 3) wanted.resize(3);
        const auto answer =
            find_fewest_risks(graph, {.from = from, .to = to, .counts = counts, .preferred = {true}});
        for (const auto& one : answer.paths) found.emplace_back(risks_of(graph, one, counts), one.size());
        EXPECT_EQ(found, wanted) << "round " << round << ": " << from << " to " << to;
        compared += fewest.size() > 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(compared, 1000u) << "graphs with one path only compare nothing";
}

TEST(FindFewestRisks, EndsWithinItsBoundAndStillFindsAPath) {
  // Each release has two updates to the next one's pair, each with a risk of its own: all combinations count.
  json::Array updates;
  const auto version = [](int step, int side) { return "4.1." + std::to_string(10 * step + side); };
  for (int step = 0; step < 40; ++step)
    for (int from = 0; from < 2; ++from)
      for (int to = 0; to < 2; ++to)
        updates.emplace_back(version(step, from) + " " + version(step + 1, to) + " R" + std::to_string(step) +
                             "x" + std::to_string(from) + std::to_string(to));
  const MergedGraph graph = merge({channel_of("c", updates)});
  const auto answer = find_fewest_risks(graph, {.from = *graph.find(version(0, 0)),
                                                .to = *graph.find(version(40, 0)),
                                                .counts = std::vector<bool>(graph.risks.size(), true),
                                                .preferred = {true}});
  EXPECT_FALSE(answer.is_complete);
  ASSERT_FALSE(answer.paths.empty());
  EXPECT_EQ(answer.paths.front().size(), 40u);
}

/// Returns a graph from 4.1.0 to 4.1.9999 in two hops: over a release for each pair of 40 risks, and from it
/// by an update with another pair.
MergedGraph graph_of_pairs() {
  json::Array updates;
  int release = 0;
  for (int a = 0; a < 40; ++a) {
    for (int b = a + 1; b < 40; ++b) {
      const std::string middle = " 4.1." + std::to_string(++release) + " ", one = std::to_string(a),
                        other = std::to_string(b);
      updates.emplace_back("4.1.0" + middle + "A" + one + " A" + other);
      updates.emplace_back(middle.substr(1) + "4.1.9999 B" + one + " B" + other);
    }
  }
  return merge({channel_of("c", updates)});
}

FewestRisksQuestion whole_question(const MergedGraph& graph, SearchBudget* budget) {
  return {.from = 0,
          .to = static_cast<std::uint32_t>(graph.releases.size() - 1),
          .counts = std::vector<bool>(graph.risks.size(), true),
          .preferred = {true},
          .budget = budget};
}

TEST(FindFewestRisks, EndsWithinItsBoundWhereThousandsOfSetsAreAtTheFrontier) {
  const MergedGraph graph = graph_of_pairs();
  SearchBudget budget;
  const std::clock_t began = std::clock();
  const auto answer = find_fewest_risks(graph, whole_question(graph, &budget));
  const double took = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  EXPECT_FALSE(answer.is_complete);
  EXPECT_EQ(budget.steps, 0u);
  ASSERT_EQ(answer.paths.size(), 1u);
  EXPECT_EQ(answer.paths.front().size(), 2u);
  // To compare all of them takes minutes.
  EXPECT_LT(took, 20) << "seconds of the processor";
}

TEST(FindFewestRisks, TakesTheWorkOfAllSearchesFromOneBudget) {
  const MergedGraph graph = merge({channel_of("c", {"4.1.0 4.1.3 A B", "4.1.0 4.1.1", "4.1.1 4.1.3 A"})});
  SearchBudget budget;
  const std::size_t before = budget.steps;
  EXPECT_TRUE(find_fewest_risks(graph, whole_question(graph, &budget)).is_complete);
  const std::size_t steps = before - budget.steps;
  ASSERT_GT(steps, 0u);
  budget.steps = 2 * steps + 1;
  EXPECT_TRUE(find_fewest_risks(graph, whole_question(graph, &budget)).is_complete);
  EXPECT_TRUE(find_fewest_risks(graph, whole_question(graph, &budget)).is_complete);
  EXPECT_EQ(budget.steps, 1u);
  const auto answer = find_fewest_risks(graph, whole_question(graph, &budget));
  EXPECT_FALSE(answer.is_complete);
  ASSERT_EQ(answer.paths.size(), 1u);
  EXPECT_EQ(text_of(graph, answer.paths.front()), "4.1.0 4.1.3");
}

TEST(FindFewestRisks, KeepsNoMoreNamesThanItsBudgetHasBytesFor) {
  // A list for each update, and a name for each list: lists times names.
  json::Array updates;
  for (int i = 1; i <= 500; ++i) {
    const std::string middle = "4.1." + std::to_string(i);
    updates.emplace_back("4.1.0 " + middle);
    updates.emplace_back(middle + " 4.1.9999 B" + std::to_string(i));
  }
  const MergedGraph graph = merge({channel_of("c", updates)});
  SearchBudget small{.bytes = std::size_t{32} << 10}, large;
  const auto answer = find_fewest_risks(graph, whole_question(graph, &small));
  EXPECT_FALSE(answer.is_complete);
  EXPECT_EQ(answer.paths.size(), 1u);
  EXPECT_GT(small.steps, 0u);
  EXPECT_TRUE(find_fewest_risks(graph, whole_question(graph, &large)).is_complete);
}

TEST(Merge, TakesTheRisksOfAllChannelsAndNoUpdateThatNoClusterAccepts) {
  const MergedGraph graph = merge({channel_of("a", {"4.1.0 4.1.2", "4.1.0 4.3.0", "4.1.2 4.1.0"}),
                                   channel_of("b", {"4.1.0 4.1.2 RiskA", "4.1.2 4.2.0", "4.2.0 4.3.0"})});
  std::vector<std::string> updates;
  for (const auto& update : graph.updates) {
    std::string text = graph.releases[update.from].version + " " + graph.releases[update.to].version;
    for (const std::uint32_t channel : update.channels) text += " " + graph.channels[channel];
    for (const std::uint32_t risk : graph.risks_of(update)) text += " " + graph.risks[risk].name;
    updates.push_back(std::move(text));
  }
  EXPECT_EQ(updates, (std::vector<std::string>{"4.1.0 4.1.2 a b RiskA", "4.1.2 4.2.0 b", "4.2.0 4.3.0 b"}));
  EXPECT_EQ(graph.left_out, (std::vector<std::pair<std::string, std::string>>{{"4.1.0", "4.3.0"}}));
  EXPECT_EQ(graph.releases[0].channels, (std::vector<std::string>{"a", "other"}));
  EXPECT_EQ(graph.releases[highest_reached(graph, 0)].version, "4.3.0");
  EXPECT_EQ(graph.releases[highest_reached(graph, 3)].version, "4.3.0");
}

TEST(Merge, KeepsTheRisksOfAGroupOnceAndLeavesOutUpdatesWithMoreThanItMayKeep) {
  // A group of 1,000 risks and 100 updates, and another one that has the last of them, too.
  ChannelGraph channel{.channel = "c"};
  ConditionalEdges many, other;
  for (int i = 0; i < 1'000; ++i) many.risks.push_back(risk_of("Many" + std::to_string(i)));
  for (std::uint32_t i = 0; i <= 100; ++i) {
    channel.graph.nodes.push_back({.version = "4.1." + std::to_string(i), .payload = "p"});
    if (i > 0) many.edges.emplace_back(0, i);
  }
  other.risks.push_back(risk_of("Other"));
  other.edges.emplace_back(0, 100);
  channel.graph.conditional_edges = {many, other};
  const MergedGraph whole = merge({channel});
  EXPECT_TRUE(whole.is_complete);
  ASSERT_EQ(whole.updates.size(), 100u);
  ASSERT_EQ(whole.risk_lists.size(), 3u);
  EXPECT_EQ(whole.risks_of(whole.updates.front()).size(), 1'000u);
  EXPECT_EQ(whole.risks_of(whole.updates.back()).size(), 1'001u);
  // Room for the first list, and not for the second.
  const MergedGraph part = merge({channel}, 1'500);
  EXPECT_FALSE(part.is_complete);
  EXPECT_EQ(part.updates.size(), 99u);
  EXPECT_EQ(part.risk_lists.size(), 2u);
}

TEST(Merge, LeavesOutUpdatesOfTheLastChannelsWhereThereAreTooMany) {
  const std::vector<ChannelGraph> channels{channel_of("a", {"4.1.0 4.1.1", "4.1.0 4.1.2"}),
                                           channel_of("b", {"4.1.0 4.1.2", "4.1.1 4.1.2", "4.1.0 4.1.3 A"})};
  const MergedGraph part = merge(channels, 2 * update_entries + 1);
  EXPECT_FALSE(part.is_complete);
  ASSERT_EQ(part.updates.size(), 2u);
  // What is there counts with all of its channels.
  EXPECT_EQ(part.updates.back().channels, (std::vector<std::uint32_t>{0, 1}));
  const MergedGraph whole = merge(channels);
  EXPECT_TRUE(whole.is_complete);
  EXPECT_EQ(whole.updates.size(), 4u);
}

TEST(Merge, EndsAtAStop) {
  std::stop_source source;
  const std::vector<ChannelGraph> channels{channel_of("c", {"4.1.0 4.1.1 A"})};
  EXPECT_EQ(merge(channels, max_merged_entries, source.get_token()).updates.size(), 1u);
  source.request_stop();
  const MergedGraph stopped = merge(channels, max_merged_entries, source.get_token());
  EXPECT_TRUE(stopped.updates.empty());
  EXPECT_FALSE(stopped.is_complete);
}

TEST(IsOneStep, IsTrueWithinAMinorVersionToTheNextAndFrom4To5) {
  const auto is_step = [](const char* from, const char* to) {
    return is_one_step(Version::parse(from).value(), Version::parse(to).value());
  };
  EXPECT_TRUE(is_step("4.1.0", "4.1.9"));
  EXPECT_TRUE(is_step("4.1.0", "4.2.0"));
  EXPECT_FALSE(is_step("4.1.0", "4.3.0"));
  EXPECT_TRUE(is_step("4.20.0", "5.0.1"));
  EXPECT_FALSE(is_step("4.20.0", "5.1.0"));
  EXPECT_FALSE(is_step("5.0.0", "6.0.0"));
}

}  // namespace
}  // namespace fairway::graph
