// SPDX-License-Identifier: Apache-2.0

#include "graph/changes.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace fairway::graph {
namespace {

UpdateGraph graph_of(const json::Value& answer) {
  auto read = read_cincinnati_json(json::to_text(answer), "test");
  EXPECT_TRUE(read && read->problems.empty());
  return read ? std::move(read->graph) : UpdateGraph{};
}

/// Reads a graph of tests/graph/data/changes.json, which has the nodes that all cases share, the edges before
/// and after, and the expected changes. An edge is "FROM TO RISK..."; a risk "NAME/VARIANT" has the variant
/// as its message.
UpdateGraph graph_of_case(const json::Array& versions, const json::Value& description) {
  json::Array nodes;
  for (const auto& version : versions) {
    json::Object node{
        {"version", version}, {"payload", "p-" + json::to_text(version)}, {"metadata", json::Object{}}};
    if (const auto* changed = json::find(description, "changed"); changed != nullptr && *changed == version) {
      node["payload"] = "q";
    }
    if (const auto* without = json::find(description, "without"); without != nullptr && *without == version)
      continue;
    nodes.push_back(std::move(node));
  }
  json::Array groups;
  json::Array edges;
  for (const auto& line : json::find(description, "edges")->as_array()) {
    std::vector<std::string> words(1);
    for (const char c : std::string_view(line.as_string())) {
      if (c == ' ') {
        words.emplace_back();
      } else {
        words.back() += c;
      }
    }
    const auto index = [&](const std::string& version) {
      return static_cast<std::int64_t>(
          std::ranges::find(nodes, version,
                            [](const json::Value& n) { return *json::find_string(n, "version"); }) -
          nodes.begin());
    };
    if (words.size() == 2) {
      edges.push_back(json::Array{index(words[0]), index(words[1])});
      continue;
    }
    json::Array risks;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const auto slash = words[i].find('/');
      risks.push_back(json::Object{{"url", "https://e"},
                                   {"name", words[i].substr(0, slash)},
                                   {"message", words[i]},
                                   {"matchingRules", always_rule()}});
    }
    groups.push_back(json::Object{{"edges", json::Array{json::Object{{"from", words[0]}, {"to", words[1]}}}},
                                  {"risks", std::move(risks)}});
  }
  return graph_of(json::Object{{"nodes", nodes}, {"edges", edges}, {"conditionalEdges", groups}});
}

TEST(FindChanges, FindsWhatEachCaseOfTheTableSays) {
  const auto table = testing::read_data("changes.json");
  const auto& versions = json::find(table, "versions")->as_array();
  for (const auto& entry : json::find(table, "cases")->as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(entry, "name")));
    const auto changes = find_changes(graph_of_case(versions, *json::find(entry, "before")),
                                      graph_of_case(versions, *json::find(entry, "now")));
    EXPECT_EQ(json::to_pretty_text(changes.to_json()), json::to_pretty_text(*json::find(entry, "changes")));
    EXPECT_EQ(changes.empty(), json::find(entry, "empty") != nullptr);
  }
}

}  // namespace
}  // namespace fairway::graph
