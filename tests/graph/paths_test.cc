// SPDX-License-Identifier: Apache-2.0

#include "graph/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fixture.h"
#include "graph/internal/path_search.h"

namespace fairway::graph {
namespace {

json::Array hops_of(const Path& path) {
  json::Array hops;
  for (const auto& hop : path) {
    std::string text = hop.from + " " + hop.to + " " + hop.channel;
    for (const auto& risk : hop.risks) text += " " + risk;
    hops.emplace_back(text);
  }
  return hops;
}

/// tests/graph/data/paths.json: one snapshot, and questions with their whole answers.
TEST(FindPaths, GivesEachAnswerOfTheTable) {
  const auto table = testing::read_data("paths.json");
  const auto snapshot = testing::build_snapshot(*json::find(table, "snapshot"));
  const View view = testing::view_without(*snapshot, json::find(table, "hidden")->as_array());
  for (const auto& entry : json::find(table, "cases")->as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(entry, "name")));
    const auto texts = [&](std::string_view key) {
      std::vector<std::string> list;
      if (const auto* values = json::find(entry, key)) {
        for (const auto& value : values->as_array()) list.emplace_back(value.as_string());
      }
      return list;
    };
    const auto text = [&](std::string_view key) { return json::find_string(entry, key).value_or(""); };
    const auto answer =
        find_paths(view, {.channels = texts("channels"),
                          .arch = std::string(json::find_string(entry, "arch").value_or("amd64")),
                          .from = std::string(text("from")),
                          .to = std::string(text("to")),
                          .avoid = texts("avoid")});
    json::Array paths;
    for (const auto& path : answer.paths) paths.push_back(hops_of(path));
    EXPECT_EQ(json::to_text(paths), json::to_text(*json::find(entry, "paths")));
    const auto* fewest = json::find(entry, "fewest");
    EXPECT_EQ(answer.fewest_risks ? json::to_text(hops_of(*answer.fewest_risks)) : "none",
              fewest != nullptr ? json::to_text(*fewest) : "none");
    EXPECT_EQ(answer.reason, text("reason"));
    EXPECT_EQ(answer.unknown_risks, texts("unknown"));
  }
}

TEST(PathAnswer, SaysInJsonWhatThereIs) {
  EXPECT_EQ(
      json::to_text(PathAnswer{.paths = {{{"4.6.1", "4.7.0", "stable-4.7", {"A", "B"}}}, {}}}.to_json()),
      R"({"paths":[{"hops":[{"from":"4.6.1","to":"4.7.0","channel":"stable-4.7","risks":["A","B"]}]},{"hops":[]}]})");
  EXPECT_EQ(
      json::to_text(PathAnswer{.fewest_risks = Path{}, .reason = "none", .unknown_risks = {"X"}}.to_json()),
      R"({"paths":[],"fewestRisks":{"hops":[]},"reason":"none","unknownRisks":["X"]})");
}

/// Reference implementation: all loop-free paths, sorted.
class AllPaths {
 public:
  AllPaths(const SearchGraph& graph, std::uint32_t to) : graph_(graph), to_(to) {}

  std::vector<NodePath> best(std::uint32_t from, std::size_t count) {
    NodePath path{from};
    walk(path);
    std::ranges::sort(all_, [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (all_.size() > count) all_.resize(count);
    return all_;
  }

 private:
  void walk(NodePath& path) {
    if (path.back() == to_) {
      all_.push_back(path);
      return;
    }
    for (const auto& edge : graph_.out[path.back()]) {
      if (std::ranges::find(path, edge.to) != path.end()) continue;
      path.push_back(edge.to);
      walk(path);
      path.pop_back();
    }
  }
  std::tuple<std::size_t, int, std::vector<std::int64_t>> key(const NodePath& path) const {
    std::vector<std::uint64_t> risks(graph_.words);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const auto edge = std::ranges::find(graph_.out[path[i]], path[i + 1], &SearchGraph::Edge::to);
      for (std::size_t w = 0; w < graph_.words; ++w) risks[w] |= graph_.risks(*edge)[w];
    }
    int number = 0;
    for (const auto word : risks) number += std::popcount(word);
    std::vector<std::int64_t> higher_first;
    for (const auto node : path) higher_first.push_back(-static_cast<std::int64_t>(node));
    return {path.size(), number, higher_first};
  }

  const SearchGraph& graph_;
  const std::uint32_t to_;
  std::vector<NodePath> all_;
};

/// Returns a random generator that is the same in every run.
std::mt19937 seeded(std::uint32_t seed) {
  return std::mt19937(seed);
}

SearchGraph random_graph(std::mt19937& random, bool loops) {
  const auto pick = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  SearchGraph graph;
  const auto nodes = 2 + pick(8);
  graph.out.resize(nodes);
  graph.words = 1 + pick(2);
  const auto sets = 1 + pick(8);
  for (std::uint32_t i = 0; i < sets * graph.words; ++i) {
    graph.sets.push_back(i < graph.words ? 0 : std::uint64_t{1} << pick(6) | std::uint64_t{1} << pick(6));
  }
  const auto density = 1 + pick(9);
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = loops ? 0 : from + 1; to < nodes; ++to) {
      if (from != to && pick(10) < density) graph.out[from].push_back({to, pick(sets)});
    }
  }
  return graph;
}

TEST(SearchPaths, FindsTheBestOfAllPathsOfRandomGraphsWithoutLoops) {
  std::mt19937 random = seeded(20260219);
  for (int round = 0; round < 1500; ++round) {
    const auto graph = random_graph(random, false);
    const auto to = static_cast<std::uint32_t>(graph.out.size() - 1);
    for (const std::size_t count : {1, 3, 7}) {
      ASSERT_EQ(search_paths(graph, 0, to, count, 100'000), AllPaths(graph, to).best(0, count))
          << "round " << round;
    }
  }
}

TEST(SearchPaths, FindsLoopFreePathsWhereThereAreLoops) {
  std::mt19937 random = seeded(4);
  for (int round = 0; round < 100; ++round) {
    const auto graph = random_graph(random, true);
    const auto to = static_cast<std::uint32_t>(graph.out.size() - 1);
    const auto all = AllPaths(graph, to).best(0, SIZE_MAX);
    const auto found = search_paths(graph, 0, to, 3, 100'000);
    ASSERT_EQ(found.empty(), all.empty()) << "round " << round;
    for (const auto& path : found) ASSERT_NE(std::ranges::find(all, path), all.end()) << "round " << round;
    if (!found.empty()) {
      ASSERT_EQ(found.front().size(), all.front().size()) << "round " << round;
    }
  }
}

TEST(SearchPaths, StillFindsPathsWhenItsEffortIsSpent) {
  std::mt19937 random = seeded(7);
  for (int round = 0; round < 500; ++round) {
    const auto graph = random_graph(random, false);
    const auto to = static_cast<std::uint32_t>(graph.out.size() - 1);
    const auto all = AllPaths(graph, to).best(0, SIZE_MAX);
    const auto found = search_paths(graph, 0, to, 3, random() % 8);
    ASSERT_EQ(found.empty(), all.empty()) << "round " << round;
    std::set<NodePath> different(found.begin(), found.end());
    ASSERT_EQ(different.size(), found.size());
    for (const auto& path : found) ASSERT_NE(std::ranges::find(all, path), all.end()) << "round " << round;
  }
}

TEST(SearchFewestRisks, FindsTheBestOfAllPathsOfRandomGraphsWithoutLoops) {
  std::mt19937 random = seeded(20260301);
  for (int round = 0; round < 1500; ++round) {
    const auto graph = random_graph(random, false);
    const auto to = static_cast<std::uint32_t>(graph.out.size() - 1);
    std::optional<std::uint32_t> least;
    for (const auto& path : AllPaths(graph, to).best(0, SIZE_MAX)) {
      const auto number = number_of_risks(graph, path);
      least = std::min(least.value_or(number), number);
    }
    const auto found = search_fewest_risks(graph, 0, to, graph.out.size(), 100'000);
    ASSERT_EQ(found.has_value(), least.has_value()) << "round " << round;
    ASSERT_EQ(found ? number_of_risks(graph, *found) : 0, least.value_or(0)) << "round " << round;
  }
}

TEST(SearchFewestRisks, FindsAPathWithoutRisksHoweverLong) {
  // 0 -> 4 with a risk, and 0 -> 1 -> 2 -> 3 -> 4 without.
  SearchGraph graph{.out = {{{4, 1}, {1, 0}}, {{2, 0}}, {{3, 0}}, {{4, 0}}, {}}, .words = 1, .sets = {0, 1}};
  EXPECT_EQ(search_fewest_risks(graph, 0, 4, 1, 0), (NodePath{0, 1, 2, 3, 4}));
}

TEST(FindStranded, TellsStrandedFromStuck) {
  UpdateGraph graph;
  for (const auto* version : {"4.6.1", "4.6.2", "4.6.3", "4.7.0", "4.7.1"})
    graph.nodes.push_back({version, "p", {}});
  graph.edges = {{0, 1}, {3, 4}};
  graph.conditional_edges = {{{{1, 3}}, {{"u", "N", "m", always_rule()}}}};
  const auto stranded = find_stranded(graph);
  EXPECT_EQ(json::to_text(stranded.to_json()),
            R"({"highest":"4.7.1","stranded":["4.6.1","4.6.2","4.6.3"],"stuck":["4.6.3"]})");
}

TEST(FindStranded, FindsNothingInAnEmptyChannel) {
  EXPECT_EQ(json::to_text(find_stranded({}).to_json()), R"({"highest":"","stranded":[],"stuck":[]})");
}

}  // namespace
}  // namespace fairway::graph
