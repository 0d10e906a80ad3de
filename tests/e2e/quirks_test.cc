// SPDX-License-Identifier: Apache-2.0

// Odd graph data: what today's service makes of each case (its real answer) and what Fairway does. Why they
// differ where they do: docs/compatibility.md, which has a row for each case.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/release.h"
#include "graph/snapshot.h"
#include "graphdata/load.h"
#include "support/shared_data.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

using Ends = std::pair<std::string, std::string>;

/// "recommended", "conditional:Name,Name" or "none" for every edge of a graph that is there at all.
std::map<Ends, std::string> verdicts(const graph::UpdateGraph& graph) {
  std::map<Ends, std::string> verdicts;
  const auto ends = [&](const graph::IndexPair& edge) {
    return Ends{graph.nodes[edge.first].version, graph.nodes[edge.second].version};
  };
  for (const auto& edge : graph.edges) verdicts[ends(edge)] = "recommended";
  for (const auto& group : graph.conditional_edges) {
    std::vector<std::string> names;
    for (const auto& risk : group.risks) names.push_back(risk.name.empty() ? "\"\"" : risk.name);
    for (const auto& edge : group.edges) verdicts[ends(edge)] = "conditional:" + join(names, ",");
  }
  return verdicts;
}

/// Returns the verdicts of an answer of today's service. It is read as it is, because our own reader would
/// fix its quirks.
std::map<Ends, std::string> verdicts(const json::Value& answer) {
  std::map<Ends, std::string> verdicts;
  const auto version = [&](const json::Value& index) {
    return std::string(answer.at("nodes").at(index.to_number<std::size_t>()).at("version").as_string());
  };
  for (const auto& edge : answer.at("edges").as_array()) {
    verdicts[{version(edge.at(0)), version(edge.at(1))}] = "recommended";
  }
  for (const auto& group : answer.at("conditionalEdges").as_array()) {
    std::vector<std::string> names;
    for (const auto& risk : group.at("risks").as_array()) {
      const std::string name(risk.at("name").as_string());
      names.push_back(name.empty() ? "\"\"" : name);
    }
    for (const auto& edge : group.at("edges").as_array()) {
      verdicts[{std::string(edge.at("from").as_string()), std::string(edge.at("to").as_string())}] =
          "conditional:" + join(names, ",");
    }
  }
  return verdicts;
}

TEST(OddGraphData, EachCaseIsAnsweredAsTheTableSays) {
  const fs::path folder = testing::shared_path("data") / "graph-data" / "quirks";
  FAIRWAY_NEEDS_SHARED(folder);

  auto document = json::parse(*read_file(folder / "releases.json"));
  ASSERT_TRUE(document.has_value());
  for (auto& release : document->at("releases").as_array()) {
    // The list has no images, as nothing is installed from it.
    release.as_object()["image"] =
        "registry.example.com/release:" + std::string(release.at("version").as_string());
  }
  auto releases = graph::read_release_list(json::to_text(*document), "releases.json");
  ASSERT_TRUE(releases.has_value()) << releases.error().message;
  auto files = graphdata::read_directory(folder.string());
  ASSERT_TRUE(files.has_value()) << files.error().message;
  auto data = graphdata::load(*files, {.source = "quirks", .problem_url = "https://example.com/problem"});
  ASSERT_TRUE(data.has_value()) << data.error().message;
  graph::BuildInputs inputs;
  inputs.releases = std::move(releases->releases);
  inputs.graph_data = std::make_shared<const graph::GraphData>(std::move(*data));
  const auto snapshot = graph::build(std::move(inputs));
  const auto ours = verdicts(snapshot->channel_graph("stable-4.1", "amd64"));
  const auto answer = json::parse(*read_file(folder / "cincinnati-answer-stable-4.1.json"));
  ASSERT_TRUE(answer.has_value());
  const auto todays = verdicts(answer->at("stable-4.1"));

  const auto table = read_file(fs::path(FAIRWAY_SOURCE_DIR) / "tests/e2e/data/quirks.tsv");
  ASSERT_TRUE(table.has_value());
  std::size_t cases = 0;
  for (const auto line : split(*table, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto cells = split(line, '\t');
    ASSERT_EQ(cells.size(), 5U) << line;
    const Ends ends{std::string(cells[1]), std::string(cells[2])};
    const auto find = [&](const std::map<Ends, std::string>& all) {
      const auto at = all.find(ends);
      return at == all.end() ? std::string("none") : at->second;
    };
    EXPECT_EQ(find(todays), cells[3]) << line;
    EXPECT_EQ(find(ours), cells[4]) << line;
    ++cases;
  }
  EXPECT_EQ(cases, 56U);
}

}  // namespace
}  // namespace fairway
