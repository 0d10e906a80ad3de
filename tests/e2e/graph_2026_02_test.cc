// SPDX-License-Identifier: Apache-2.0

// The graphs of real graph data, channel by channel, against answers that were computed independently: every
// folder NAME of real data that has NAME-releases.json and NAME-expected/facts.json beside it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "graph/release.h"
#include "graph/snapshot.h"
#include "graphdata/load.h"
#include "http/compress.h"
#include "support/shared_data.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

json::Value read_json(const fs::path& path) {
  auto text = read_file(path);
  EXPECT_TRUE(text.has_value()) << text.error().message;
  if (path.extension() == ".gz") text = http::gunzip(*text);
  EXPECT_TRUE(text.has_value()) << text.error().message;
  auto value = json::parse(*text);
  EXPECT_TRUE(value.has_value()) << value.error().message;
  return *value;
}

/// Returns the text of a value with sorted keys: those of the expected data may have any order.
std::string sorted_text(const json::Value& value) {
  if (value.is_array()) {
    std::string text = "[";
    for (const auto& item : value.get_array()) text += sorted_text(item) + ",";
    return text + "]";
  }
  if (!value.is_object()) return json::to_text(value);
  std::map<std::string, std::string> members;
  for (const auto& member : value.get_object())
    members[std::string(member.key())] = sorted_text(member.value());
  std::string text = "{";
  for (const auto& [key, member] : members) text += key + ":" + member + ",";
  return text + "}";
}

/// Body -> key of every risk: where one name has several bodies, the key is `Name#sha8`.
std::map<std::string, std::string> risk_keys(const json::Value& expected) {
  std::map<std::string, std::string> keys;
  for (const auto& risk : expected.at("risks").as_object()) keys[sorted_text(risk.value())] = risk.key();
  return keys;
}

std::string digest(const std::multiset<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return sha256_hex(text);
}

struct Lines {
  std::multiset<std::string> nodes, edges, conditional;
};

Lines lines_of(const graph::UpdateGraph& graph, const std::map<std::string, std::string>& keys) {
  Lines lines;
  for (const auto& node : graph.nodes) lines.nodes.insert(node.version);
  const auto ends = [&](const graph::IndexPair& edge) {
    return graph.nodes[edge.first].version + " " + graph.nodes[edge.second].version;
  };
  for (const auto& edge : graph.edges) lines.edges.insert(ends(edge));
  for (const auto& group : graph.conditional_edges) {
    std::set<std::string> names;
    for (const auto& risk : group.risks) {
      const auto body = json::parse(risk.body());
      const auto key = keys.find(sorted_text(*body));
      names.insert(key == keys.end() ? risk.name + " (unknown body)" : key->second);
    }
    std::string risks;
    for (const std::string& name : names) risks += " " + name;
    for (const auto& edge : group.edges) lines.conditional.insert(ends(edge) + risks);
  }
  return lines;
}

/// The lines as the expected graph has them, to name what differs.
Lines expected_lines(const json::Value& channel) {
  Lines lines;
  const auto version = [&](const json::Value& index) {
    return std::string(channel.at("nodes").at(index.to_number<std::size_t>()).as_string());
  };
  const auto ends = [&](const json::Value& edge) { return version(edge.at(0)) + " " + version(edge.at(1)); };
  for (const auto& node : channel.at("nodes").as_array()) lines.nodes.emplace(node.as_string());
  for (const auto& edge : channel.at("edges").as_array()) lines.edges.insert(ends(edge));
  for (const auto& group : channel.at("conditional").as_array()) {
    std::set<std::string> names;
    for (const auto& name : group.at("risks").as_array()) names.emplace(name.as_string());
    std::string risks;
    for (const std::string& name : names) risks += " " + name;
    for (const auto& edge : group.at("edges").as_array()) lines.conditional.insert(ends(edge) + risks);
  }
  return lines;
}

/// The first few lines that only one side has.
std::string difference(const std::multiset<std::string>& ours, const std::multiset<std::string>& expected) {
  std::string text;
  const auto add = [&](const auto& a, const auto& b, const char* mark) {
    std::vector<std::string> only;
    std::ranges::set_difference(a, b, std::back_inserter(only));
    for (std::size_t i = 0; i < std::min<std::size_t>(only.size(), 5); ++i) text += mark + only[i] + "\n";
  };
  add(expected, ours, "missing: ");
  add(ours, expected, "not expected: ");
  return text;
}

std::shared_ptr<const graph::Snapshot> build(const fs::path& folder, const std::string& name) {
  auto text = read_file(folder / (name + "-releases.json"));
  EXPECT_TRUE(text.has_value());
  auto releases = graph::read_release_list(*text, name + "-releases.json");
  EXPECT_TRUE(releases.has_value()) << releases.error().message;
  EXPECT_TRUE(releases->problems.empty());
  auto files = graphdata::read_directory((folder / name).string());
  EXPECT_TRUE(files.has_value()) << files.error().message;
  auto data = graphdata::load(*files, {.source = name, .problem_url = "https://example.com/problem"});
  EXPECT_TRUE(data.has_value()) << data.error().message;
  graph::BuildInputs inputs;
  inputs.releases = std::move(releases->releases);
  inputs.graph_data = std::make_shared<const graph::GraphData>(std::move(*data));
  return graph::build(std::move(inputs));
}

std::vector<std::string> snapshots() {
  std::vector<std::string> names;
  const fs::path folder = testing::shared_path("data") / "graph-data";
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) {
    const std::string name = entry.path().filename();
    if (fs::exists(folder / (name + "-releases.json")) &&
        fs::exists(folder / (name + "-expected") / "facts.json")) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

TEST(RealGraphData, EveryChannelHasTheExpectedNodesEdgesAndConditionalEdges) {
  const auto names = snapshots();
  if (names.empty()) GTEST_SKIP() << testing::absent_data(testing::shared_path("data/graph-data"));
  for (const std::string& name : names) {
    const fs::path folder = testing::shared_path("data") / "graph-data";
    const auto facts = read_json(folder / (name + "-expected") / "facts.json");
    const auto graphs = read_json(folder / (name + "-expected") / "graphs.json.gz");
    const auto keys = risk_keys(graphs);
    const auto snapshot = build(folder, name);
    const std::string arch(facts.at("arch").as_string());
    ASSERT_EQ(snapshot->channels.size(), facts.at("graph").as_object().size());
    for (const auto& [channel, expected] : facts.at("graph").as_object()) {
      SCOPED_TRACE(name + " " + std::string(channel));
      const auto ours = lines_of(snapshot->channel_graph(channel, arch), keys);
      const auto theirs = expected_lines(graphs.at("channels").at(channel));
      EXPECT_EQ(digest(ours.nodes), expected.at("nodes_sha256").as_string())
          << difference(ours.nodes, theirs.nodes);
      EXPECT_EQ(digest(ours.edges), expected.at("edges_sha256").as_string())
          << difference(ours.edges, theirs.edges);
      EXPECT_EQ(digest(ours.conditional), expected.at("conditional_sha256").as_string())
          << difference(ours.conditional, theirs.conditional);
    }
  }
}

TEST(RealGraphData, EveryNodeNamesTheExpectedChannels) {
  const auto names = snapshots();
  if (names.empty()) GTEST_SKIP() << testing::absent_data(testing::shared_path("data/graph-data"));
  for (const std::string& name : names) {
    const fs::path folder = testing::shared_path("data") / "graph-data";
    const auto facts = read_json(folder / (name + "-expected") / "facts.json");
    const auto snapshot = build(folder, name);
    const std::string arch(facts.at("arch").as_string());
    std::map<std::string, std::string> ours;
    for (const auto& channel : snapshot->channels) {
      for (const auto& node : snapshot->channel_graph(channel.name, arch).nodes) {
        ours[node.version] = node.find_metadata(graph::channels_key);
      }
    }
    std::map<std::string, std::string> expected;
    for (const auto& [version, channels] : facts.at("node_channels").as_object()) {
      expected[version] = channels.as_string();
    }
    EXPECT_EQ(ours, expected) << name;
  }
}

}  // namespace
}  // namespace fairway
