// SPDX-License-Identifier: Apache-2.0

#include "graphdata/load.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "cases.h"
#include "shared_data.h"
#include "support/small_graph.h"

namespace fairway::graphdata {
namespace {

using Effect = graph::Block::Effect;

const LoadOptions options{.source = "test", .problem_url = "https://example.com/not-understood"};

Files with(const std::string& path, const std::string& text) {
  Files files = testing::small_graph_data();
  files[path] = text;
  return files;
}

Files only_block(const std::string& text) {
  Files files = testing::small_graph_data();
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("blocked-edges/"); });
  files["blocked-edges/case.yaml"] = text;
  return files;
}

std::string to_text(const graph::Block& block) {
  if (block.effect == Effect::removed) return "removed " + block.to.to_string();
  return "conditional " + block.to.to_string() + " " + block.risk.name;
}

// The outcome of loading one blocked-edges file, in the words of blocked-edges.cases.
std::string outcome(const std::string& text, std::string_view expected) {
  const Result<graph::GraphData> data = load(only_block(text), options);
  if (!data)
    return data.error().message.contains("blocked-edges/case.yaml") ? "refused" : data.error().message;
  if (data->blocks.empty()) return "no block";
  const graph::Block& first = data->blocks.front();
  if (first.effect != Effect::not_understood) {
    if (!data->problems.empty()) return "a problem: " + data->problems.front().message;
    if (!first.from) return "no from";
    std::string said = to_text(first);
    if (expected.contains('[')) said += " " + json::to_text(first.risk.matching_rules);
    return said;
  }
  // The rule's id is lint's business: it is taken from what is expected, and checked in lint_test.
  const std::size_t rule = expected.find(' ', expected.find(' ') + 1);
  if (data->problems.size() != 1) return "not one problem";
  const graph::Problem& problem = data->problems.front();
  if (problem.kind != graph::problem_kind::blocked_edge_not_understood)
    return "a problem of kind " + problem.kind;
  std::string said = "not-understood " + std::to_string(problem.place.line);
  said += rule == std::string_view::npos
              ? ""
              : std::string(expected.substr(rule, expected.find(' ', rule + 1) - rule));
  std::vector<std::string> versions;
  for (const graph::Block& block : data->blocks) {
    said += " " + block.to.to_string();
    versions.push_back(block.to.to_string());
    const std::string where = "blocked-edges/case.yaml:" + std::to_string(problem.place.line) + ": ";
    if (block.effect != Effect::not_understood || block.from) return "a block of another kind";
    if (block.risk.name != graph::graph_data_not_understood || block.risk.url != options.problem_url ||
        !block.risk.message.starts_with(where) || block.risk.matching_rules != graph::always_rule()) {
      return "another risk: " + block.risk.body();
    }
  }
  if (problem.versions != versions) return "a problem about other versions";
  return said;
}

TEST(LoadBlockedEdges, DoesWithEachFileWhatTheTableSays) {
  const std::vector<Case> cases = read_cases("blocked-edges.cases");
  ASSERT_GT(cases.size(), 60U);
  for (const Case& c : cases) {
    ASSERT_EQ(c.expected.size(), 1U) << "line " << c.line;
    EXPECT_EQ(outcome(c.input, c.expected.front()), c.expected.front())
        << "line " << c.line << ": " << c.name;
  }
}

TEST(LoadBlockedEdges, ReadsYmlLikeYamlInByteOrderOfNames) {
  Files files = only_block("to: 4.7.4\nfrom: .*\n");
  files["blocked-edges/a.yml"] = "to: 4.7.1\nfrom: .*\n";
  files["blocked-edges/d.YAML"] = "to: 4.7.5\nfrom: .*\n";
  files["blocked-edges/OWNERS"] = "approvers: [";
  files["blocked-edges/README.md"] = "# Blocked edges";
  const Result<graph::GraphData> data = load(files, options);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->blocks.size(), 3U);
  EXPECT_EQ(data->blocks[0].file, "blocked-edges/a.yml");
  EXPECT_EQ(data->blocks[1].file, "blocked-edges/case.yaml");
  EXPECT_EQ(data->blocks[2].file, "blocked-edges/d.YAML");
}

TEST(LoadBlockedEdges, KnowsWhereTheTargetStands) {
  const Result<graph::GraphData> data = load(only_block("from: .*\n\nto:   4.7.4\n"), options);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->blocks.front().place.to_string(), "blocked-edges/case.yaml:3:7");
}

TEST(LoadBlockedEdges, SaysThatNothingIsBlockedWithoutTheFolder) {
  Files files = only_block("");
  files.erase("blocked-edges/case.yaml");
  const Result<graph::GraphData> data = load(files, options);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_TRUE(data->blocks.empty());
  ASSERT_EQ(data->problems.size(), 1U);
  EXPECT_EQ(data->problems.front().place.file, "blocked-edges");
}

TEST(LoadBlockedEdges, NamesNoOtherTargetInARisk) {
  const Result<graph::GraphData> data = load(only_block("to: v4.7.4\n---\nto: 4.7.5\nfrom: .*\n"), options);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->blocks.size(), 2U);
  for (const graph::Block& block : data->blocks) EXPECT_FALSE(block.risk.message.contains("4.7."));
}

TEST(LoadBlockedEdges, BlocksWhatHostileFilesTarget) {
  std::string deep = "to: 4.7.4\nfrom: .*\nx: ";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_EQ(outcome(deep, "not-understood 3 yaml-syntax 4.7.4"), "not-understood 3 yaml-syntax 4.7.4");

  std::string bomb = "to: 4.7.4\nfrom: .*\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_EQ(outcome(bomb, "not-understood 7 yaml-syntax 4.7.4"), "not-understood 7 yaml-syntax 4.7.4");

  const std::string not_utf8 = "to: 4.7.4\nfrom: .*\nmessage: \xff\xfe\n";
  EXPECT_EQ(outcome(not_utf8, "not-understood 3 yaml-syntax 4.7.4"), "not-understood 3 yaml-syntax 4.7.4");

  std::string nested_rule =
      "to: 4.7.4\nfrom: .*\nurl: https://e/\nname: N\nmessage: m\nmatchingRules:\n- type: X\n  x: ";
  for (int i = 0; i < 40; ++i) nested_rule += '[';
  for (int i = 0; i < 40; ++i) nested_rule += ']';
  EXPECT_EQ(outcome(nested_rule, "not-understood 7 matching-rules 4.7.4"),
            "not-understood 7 matching-rules 4.7.4");
}

TEST(LoadBlockedEdges, ClosesTheTargetOfAFileAboveTheLimit) {
  const std::string large = "#" + std::string(1 << 20, 'x') + "\n";
  for (const std::string& text : {"to: 4.7.4\nfrom: .*\n" + large, "from: .*\n" + large + "to: 4.7.4\n"}) {
    const Result<graph::GraphData> data = load(only_block(text), options);
    ASSERT_TRUE(data) << data.error().message;
    ASSERT_EQ(data->blocks.size(), 1U);
    EXPECT_EQ(data->blocks[0].effect, Effect::not_understood);
    EXPECT_EQ(data->blocks[0].to.to_string(), "4.7.4");
    EXPECT_EQ(data->problems.size(), 1U);
  }
  const Result<graph::GraphData> data = load(only_block("from: .*\n" + large), options);
  ASSERT_FALSE(data) << "it does not say what it blocks";
  EXPECT_TRUE(data.error().message.contains("blocked-edges/case.yaml")) << data.error().message;
}

TEST(LoadBlockedEdges, ClosesTheTargetOfAFileWhoseNameCannotBeServed) {
  const Result<graph::GraphData> data =
      load(with("blocked-edges/4.7.4-\xff.yaml", "to: 4.7.0\nfrom: .*\n"), options);
  ASSERT_TRUE(data) << data.error().message;
  const auto found = std::ranges::find(data->blocks, Effect::not_understood, &graph::Block::effect);
  ASSERT_NE(found, data->blocks.end());
  EXPECT_EQ(found->to.to_string(), "4.7.0");
  EXPECT_TRUE(is_utf8(found->file) && is_utf8(found->risk.message)) << found->file;
  ASSERT_EQ(data->problems.size(), 1U);
  EXPECT_TRUE(data->problems[0].message.contains("UTF-8") && is_utf8(data->problems[0].place.file));
}

TEST(LoadChannels, AreRefusedAboveTheLimitAndWithNamesThatCannotBeServed) {
  EXPECT_FALSE(
      load(with("channels/large.yaml", "name: x-1\nversions: []\n#" + std::string(1 << 20, 'x')), options));
  EXPECT_FALSE(load(with("channels/\xff.yaml", "name: x-1\nversions: []\n"), options));
}

TEST(LoadChannels, ReadsEveryKey) {
  const Result<graph::GraphData> data =
      load(with("channels/stable-4.8.yaml",
                "name: stable-4.8\ndescription: Calm waters.\nunknown: [1]\n"
                "feeder: {name: fast-4.8, filter: '4[.]8.*', delay: P1W, errata: public}\n"
                "versions:\n- 4.8.0\n- 4.8.1+arm64\ntombstones: [4.8.2]\n"),
           options);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->channels.size(), 3U);
  EXPECT_EQ(data->channels[0].name, "candidate-4.7");
  EXPECT_EQ(data->channels[1].name, "stable-4.7");
  const graph::ChannelData& channel = data->channels[2];
  EXPECT_EQ(channel.name, "stable-4.8");
  EXPECT_EQ(channel.description, "Calm waters.");
  EXPECT_EQ(channel.place.to_string(), "channels/stable-4.8.yaml:1:7");
  ASSERT_TRUE(channel.feeder);
  EXPECT_EQ(channel.feeder->name, "fast-4.8");
  EXPECT_EQ(channel.feeder->filter, "4[.]8.*");
  EXPECT_EQ(channel.feeder->delay, "P1W");
  EXPECT_EQ(channel.feeder->errata, "public");
  ASSERT_EQ(channel.versions.size(), 2U);
  EXPECT_EQ(channel.versions[1].version.build(), "arm64");
  EXPECT_EQ(channel.versions[1].place.line, 7);
  ASSERT_EQ(channel.tombstones.size(), 1U);
  EXPECT_TRUE(data->problems.empty());
}

TEST(LoadChannels, RefusesEachBrokenFileAndNamesTheLine) {
  const std::vector<Case> cases = read_cases("channels.cases");
  ASSERT_GT(cases.size(), 10U);
  for (const Case& c : cases) {
    const Result<graph::GraphData> data = load(with("channels/case.yaml", c.input), options);
    std::string said = "accepted";
    if (!data) {
      said = "refused";
      const std::string file = "channels/case.yaml:";
      const std::size_t at = data.error().message.find(file);
      ASSERT_NE(at, std::string::npos) << data.error().message;
      const std::size_t line = at + file.size();
      said += " " + data.error().message.substr(line, data.error().message.find(':', line) - line);
    } else if (!data->problems.empty()) {
      said += " with problem " + std::to_string(data->problems.front().place.line);
    }
    ASSERT_EQ(c.expected.size(), 1U) << "line " << c.line;
    EXPECT_EQ(said, c.expected.front()) << "line " << c.line << ": " << c.name;
  }
}

TEST(LoadChannels, UnitesTwoFilesOfOneNameAndSaysSo) {
  const Result<graph::GraphData> data = load(
      with("channels/z.yaml", "name: stable-4.7\nversions: [4.7.9]\ntombstones: [4.7.8]\ndescription: d\n"),
      options);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->channels.size(), 2U);
  EXPECT_EQ(data->channels[1].versions.size(), 4U);
  EXPECT_EQ(data->channels[1].tombstones.size(), 1U);
  EXPECT_EQ(data->channels[1].description, "d");
  EXPECT_TRUE(data->channels[1].feeder);
  ASSERT_EQ(data->problems.size(), 1U);
  EXPECT_EQ(data->problems.front().place.file, "channels/z.yaml");
  EXPECT_EQ(data->problems.front().channels, std::vector<std::string>{"stable-4.7"});
}

TEST(LoadChannels, LeavesYmlAndInternalChannelsUnread) {
  Files files = with("channels/other.yml", "name: [");
  files["internal-channels/candidate.yaml"] = "name: [";
  files["channels/README.md"] = "x";
  const Result<graph::GraphData> data = load(files, options);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->channels.size(), 2U);
}

TEST(LoadChannels, RefusesDataWithoutAny) {
  Files files = testing::small_graph_data();
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("channels/"); });
  const Result<graph::GraphData> data = load(files, options);
  ASSERT_FALSE(data);
  EXPECT_TRUE(data.error().message.contains("channels")) << data.error().message;
}

TEST(LoadSchema, TakesEveryMinorOfMajorOne) {
  for (const char* good : {"1.0.0", "1.1.0\n", "1.2.0\r\n", "1.99.3-rc.1"})
    EXPECT_TRUE(load(with("version", good), options)) << good;
  for (const char* bad : {"", "2.0.0", "0.9.0", "x", "1.1", "1.1.0\n\n", " 1.1.0"}) {
    const Result<graph::GraphData> data = load(with("version", bad), options);
    ASSERT_FALSE(data) << bad;
    EXPECT_TRUE(data.error().message.contains("version:1")) << data.error().message;
  }
  Files files = testing::small_graph_data();
  files.erase("version");
  EXPECT_FALSE(load(files, options));
}

std::string to_text(const graph::MetadataFault::Edges& edges) {
  if (!edges.version) return "all edges";
  return std::string(edges.into ? "into " : "") + (edges.out_of ? "out of " : "") +
         edges.version->to_string();
}

TEST(LoadRawMetadata, MakesOfEachFileWhatTheTableSays) {
  const std::vector<Case> cases = read_cases("raw-metadata.cases");
  ASSERT_GT(cases.size(), 10U);
  for (const Case& c : cases) {
    const Result<graph::GraphData> data = load(with("raw/metadata.json", c.input), options);
    ASSERT_TRUE(data) << data.error().message;
    std::vector<std::string> said;
    for (const auto& [version, entries] : data->raw_metadata) {
      for (const auto& [key, value] : entries) said.push_back(version + " " + key + " " + value);
    }
    for (const graph::Problem& problem : data->problems)
      said.push_back("problem " + problem.place.to_string().substr(problem.place.file.size()));
    for (const graph::MetadataFault& fault : data->metadata_faults) {
      EXPECT_EQ(fault.risk.name, graph::graph_data_not_understood);
      EXPECT_EQ(fault.risk.url, options.problem_url);
      EXPECT_EQ(fault.risk.matching_rules, graph::always_rule());
      EXPECT_TRUE(fault.risk.message.starts_with("raw/metadata.json:")) << fault.risk.message;
      said.push_back("fault " + to_text(fault.edges));
    }
    EXPECT_EQ(said, c.expected) << "line " << c.line << ": " << c.name;
  }
}

TEST(LoadRealData, ReadsTheWholeOf202602) {
  const std::filesystem::path path = shared_path("data/graph-data/2026-02");
  FAIRWAY_NEEDS_SHARED(path);
  const Result<Files> files = read_directory(path.string());
  ASSERT_TRUE(files) << files.error().message;
  const Result<graph::GraphData> data = load(*files, options);
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->channels.size(), 72U);
  EXPECT_EQ(data->blocks.size(), 1653U);
  const auto count = [&](Effect effect) {
    return std::ranges::count(data->blocks, effect, &graph::Block::effect);
  };
  EXPECT_EQ(count(Effect::removed), 116);
  EXPECT_EQ(count(Effect::conditional), 1537);
  EXPECT_EQ(data->raw_metadata.size(), 4U);
  EXPECT_TRUE(data->problems.empty()) << data->problems.front().message;
  EXPECT_TRUE(std::ranges::is_sorted(data->blocks, {}, &graph::Block::file));
}

// Cincinnati ignores or misreads these files; Fairway fails closed.
TEST(LoadRealData, FailsClosedOnTheQuirks) {
  const std::filesystem::path path = shared_path("data/graph-data/quirks");
  FAIRWAY_NEEDS_SHARED(path);
  const Result<Files> files = read_directory(path.string());
  ASSERT_TRUE(files) << files.error().message;
  const Result<graph::GraphData> data = load(*files, options);
  ASSERT_TRUE(data) << data.error().message;
  ASSERT_EQ(data->channels.size(), 1U);
  std::vector<std::string> not_understood;
  for (const graph::Block& block : data->blocks) {
    if (block.effect == Effect::not_understood) not_understood.push_back(block.to.to_string());
  }
  EXPECT_EQ(not_understood,
            (std::vector<std::string>{"4.1.16", "4.1.17", "4.1.18", "4.1.24", "4.1.27", "4.1.28"}));
  EXPECT_EQ(data->problems.size(), 6U);
}

}  // namespace
}  // namespace fairway::graphdata
