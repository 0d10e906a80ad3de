// SPDX-License-Identifier: Apache-2.0

// What releases and graph data may make a build cost.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "graph/build.h"
#include "graph/explain.h"
#include "graph/metadata_keys.h"
#include "graph/restrict.h"
#include "graph/size.h"
#include "graph/snapshot.h"
#include "graph/view.h"
#include "graph/widening.h"
#include "graph/withdrawn_updates.h"

namespace fairway::graph {
namespace {

Release release(const std::string& version, std::vector<std::string> previous = {}) {
  return {.version = Version::parse(version).value(),
          .arch = "amd64",
          .payload = "registry.example/r@sha256:" + version,
          .previous = std::move(previous),
          .source = "releases.json"};
}

Block block(const std::string& to, const std::string& name) {
  return {.effect = Block::Effect::conditional,
          .file = "blocked-edges/" + name + ".yaml",
          .place = {},
          .to = Version::parse(to).value(),
          .from = Pattern::compile(".*").value(),
          .risk = {"https://example.com/" + name, name, name + ".", always_rule()}};
}

ChannelData channel(const std::string& name, const std::vector<std::string>& versions) {
  ChannelData data{
      .name = name, .description = {}, .place = {}, .versions = {}, .tombstones = {}, .feeder = {}};
  for (const std::string& version : versions) data.versions.push_back({Version::parse(version).value(), {}});
  return data;
}

std::shared_ptr<const Snapshot> built(std::vector<Release> releases, GraphData data = {}) {
  data.channels.push_back(channel("stable", {"4.6.1", "4.7.0", "4.8.0"}));
  BuildInputs inputs;
  inputs.releases = std::move(releases);
  inputs.graph_data = std::make_shared<const GraphData>(std::move(data));
  inputs.problem_url = "https://example.com/problem";
  return build(std::move(inputs));
}

std::vector<Release> releases() {
  return {release("4.6.1"), release("4.7.0", {"4.6.1"}), release("4.8.0", {"4.6.1", "4.7.0"})};
}

TEST(Bounds, AnUpdateWithTooManyRisksIsConditionalOnOneThatSaysSo) {
  for (const int count : {100, 101, 20'000}) {
    GraphData data;
    for (int i = 0; i < count; ++i) data.blocks.push_back(block("4.8.0", "Risk" + std::to_string(i)));
    const auto snapshot = built(releases(), std::move(data));
    const UpdateGraph graph = snapshot->channel_graph("stable", "amd64");
    ASSERT_EQ(graph.conditional_edges.size(), 1U);
    const ConditionalEdges& edges = graph.conditional_edges.front();
    EXPECT_EQ(edges.edges.size(), 2U);
    EXPECT_EQ(graph.edges.size(), 1U) << "4.6.1 to 4.7.0 is not concerned";
    if (count == 100) {
      EXPECT_EQ(edges.risks.size(), 100U);
      continue;
    }
    ASSERT_EQ(edges.risks.size(), 1U) << count;
    EXPECT_EQ(edges.risks.front().name, graph_data_not_understood);
    EXPECT_EQ(edges.risks.front().url, "https://example.com/problem");
    EXPECT_EQ(edges.risks.front().matching_rules, always_rule());
    const auto told = std::ranges::count_if(snapshot->problems, [](const Problem& problem) {
      return problem.message.contains("more risks than can be told") && problem.message.contains("4.8.0");
    });
    EXPECT_EQ(told, 1);
  }
}

TEST(Bounds, AnUpstreamsUpdateWithTooManyRisksTo) {
  BuildInputs inputs;
  UpstreamGraph upstream{.source = "https://up", .channel = "stable", .arch = "amd64", .graph = {}};
  upstream.graph.nodes = {{"4.6.1", "a", {}}, {"4.7.0", "b", {}}};
  ConditionalEdges conditional{.edges = {{0, 1}}, .risks = {}};
  for (int i = 0; i < 150; ++i) conditional.risks.push_back(block("4.7.0", "R" + std::to_string(i)).risk);
  upstream.graph.conditional_edges = {conditional};
  inputs.upstreams = {upstream};
  const auto graph = build(std::move(inputs))->channel_graph("stable", "amd64");
  ASSERT_EQ(graph.conditional_edges.size(), 1U);
  ASSERT_EQ(graph.conditional_edges.front().risks.size(), 1U);
  EXPECT_EQ(graph.conditional_edges.front().risks.front().name, graph_data_not_understood);
}

TEST(Bounds, MetadataThatIsNoListOfVersionsIsToldOnce) {
  auto list = releases();
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "x,";
  list[2].metadata[std::string(metadata_key::previous_remove)] = text;
  list[1].metadata[std::string(metadata_key::next_remove)] = text;
  list[2].previous.insert(list[2].previous.end(), 50'000, "4.8.0");
  const auto snapshot = built(list);
  EXPECT_EQ(snapshot->problems.size(), 3U);
  const UpdateGraph graph = snapshot->channel_graph("stable", "amd64");
  EXPECT_EQ(graph.edges, (std::vector<IndexPair>{{0, 1}})) << "fail closed";
}

TEST(Bounds, ProblemsOfReleasesAreToldOneByOneUpToALimit) {
  std::vector<Release> list{release("4.6.1")};
  for (int i = 0; i < 3'000; ++i) {
    const std::string version = "4.7." + std::to_string(i);
    list.push_back(release(version, {version}));
  }
  EXPECT_EQ(built(list)->problems.size(), 1'001U);
}

TEST(Bounds, ExpressionsOfReleasesHaveABudget) {
  const std::string key(metadata_key::previous_remove_regex);
  auto list = releases();
  list[1].metadata[key] = "^no such release$";
  list[2].metadata[key] = "(a{500}){2}";
  auto graph = built(list)->channel_graph("stable", "amd64");
  EXPECT_EQ(graph.edges, (std::vector<IndexPair>{{0, 1}})) << "what is too large removes all updates into it";
  list[2].metadata[key] = std::string(5'000, 'x');
  graph = built(list)->channel_graph("stable", "amd64");
  EXPECT_EQ(graph.edges, (std::vector<IndexPair>{{0, 1}}));
}

TEST(Bounds, TheExpressionOfAnImageAndThatOfGraphDataBothRemove) {
  const std::string key(metadata_key::previous_remove_regex);
  auto list = releases();
  list[2].metadata[key] = "^4[.]6[.]";
  GraphData data;
  data.raw_metadata["4.8.0"][key] = "^4[.]7[.]";
  const auto snapshot = built(list, std::move(data));
  EXPECT_EQ(snapshot->channel_graph("stable", "amd64").edges, (std::vector<IndexPair>{{0, 1}}));
}

TEST(Bounds, SearchesLeaveNothingInTheExpressionsOfGraphData) {
  std::vector<Release> list;
  std::vector<std::string> previous;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    previous.push_back("4.7." + std::to_string(10'000'000 + i * 7'654'321 % 90'000'000));
    list.push_back(release(previous.back()));
  }
  list.push_back(release("4.8.0", previous));
  GraphData data;
  for (int i = 0; i < 400; ++i) {
    data.blocks.push_back(block("4.8.0", "Risk" + std::to_string(i)));
    // How far a search is depends on each of the last characters.
    data.blocks.back().from = Pattern::compile("[13579][0-9.+a-z]{9}" + std::to_string(i) + "q").value();
  }
  BuildInputs inputs;
  inputs.releases = std::move(list);
  inputs.graph_data = std::make_shared<const GraphData>(std::move(data));
  const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  std::shared_ptr<const Snapshot> snapshot = build(BuildInputs(inputs));
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_FALSE(explain(View(*snapshot), "stable", "amd64", previous[i], "4.8.0").reasons.empty());
  snapshot.reset();
  EXPECT_LT(in_use(), before + (std::size_t{4} << 20));
}

TEST(Bounds, WhatWasForgottenOfUpdatesThatAreAwayStaysClosed) {
  GraphData data;
  data.blocks = {block("4.7.0", "Slow"), block("4.8.0", "Slow")};
  const auto before = built(releases(), std::move(data));
  const auto gone = built({release("4.6.1")});
  const auto open = built(releases());
  const WithdrawnUpdates all = withdrawn_updates({}, *before, *gone).value();
  EXPECT_EQ(all.updates.size(), 3U);
  EXPECT_EQ(all.risks.size(), 1U);
  EXPECT_FALSE(all.overflowed);
  EXPECT_TRUE(find_widening(*gone, *open)->lifted.empty());
  EXPECT_EQ(find_widening(*gone, *open, all)->lifted.size(), 2U);
  EXPECT_TRUE(withdrawn_updates(all, *gone, *before)->updates.empty()) << "all are there again";
  EXPECT_EQ(withdrawn_updates(all, *gone, *before, true)->updates.size(), 3U) << "while a widening is held";

  const WithdrawnUpdates some = withdrawn_updates({}, *before, *gone, false, 1).value();
  EXPECT_EQ(some.updates.size(), 1U);
  EXPECT_TRUE(some.overflowed);
  std::size_t edges = 0;
  const Widening widening = find_widening(*gone, *open, some).value();
  for (const LiftedBlock& lifted : widening.lifted) edges += lifted.edges;
  EXPECT_EQ(edges, 3U) << "those that were forgotten, too";
  const auto closed = restrict_as(*open, *gone, some, "https://example.com/problem").value();
  EXPECT_TRUE(closed->channel_graph("stable", "amd64").edges.empty());
  EXPECT_TRUE(find_widening(*before, *closed, some)->lifted.empty());
}

TEST(Bounds, WhatWasClosedMeanwhileIsRememberedWithAllThatClosedIt) {
  const auto with = [](const std::vector<std::string>& risks) {
    GraphData data;
    for (const std::string& risk : risks) data.blocks.push_back(block("4.8.0", risk));
    return built(releases(), std::move(data));
  };
  const auto before = with({"Slow"}), closed = with({"Slow", "Late"}), other = with({"Slow", "Later"});
  EXPECT_TRUE(with_closed_updates({}, *before, *before)->updates.empty());
  const WithdrawnUpdates one = with_closed_updates({}, *before, *closed).value();
  ASSERT_FALSE(one.updates.empty());
  for (const auto& [ends, risks] : one.updates) EXPECT_EQ(risks.size(), 2U);
  const WithdrawnUpdates both = with_closed_updates(one, *before, *other).value();
  for (const auto& [ends, risks] : both.updates) EXPECT_EQ(risks.size(), 3U);
  EXPECT_EQ(with_closed_updates(both, *before, *before)->updates, both.updates);
  EXPECT_EQ(find_widening(*before, *before, both)->lifted.size(), 2U) << "Late and Later";
  EXPECT_TRUE(find_widening(*before, *with({"Slow", "Late", "Later"}), both)->lifted.empty());

  // Names without end: the update is not served at last, and nothing grows.
  WithdrawnUpdates many;
  for (std::size_t i = 0; i <= max_withdrawn_risks; ++i)
    many = with_closed_updates(many, *before, *with({"Slow", "Late" + std::to_string(i)})).value();
  for (const auto& [ends, risks] : many.updates) EXPECT_TRUE(risks.empty());
  EXPECT_LE(many.risks.size(), max_withdrawn_risks + 2);
  EXPECT_TRUE(
      restrict_as(*before, *before, many, "https://example.com").value()->architectures[0].edges.size() <
      before->architectures[0].edges.size());
}

TEST(Bounds, ServedBytesAreAboutThoseOfTheGraphs) {
  GraphData data;
  for (int i = 0; i < 20; ++i) data.blocks.push_back(block("4.8.0", "Risk" + std::to_string(i)));
  data.channels.push_back(channel("fast", {"4.6.1", "4.8.0"}));
  const auto snapshot = built(releases(), std::move(data));
  std::size_t bytes = 0;
  for (const char* name : {"stable", "fast"})
    bytes += to_cincinnati_json(snapshot->channel_graph(name, "amd64")).size();
  const std::size_t estimate = served_bytes(*snapshot, SIZE_MAX);
  EXPECT_GT(estimate * 10, bytes * 8);
  EXPECT_LT(estimate * 10, bytes * 14);
  EXPECT_GT(served_bytes(*snapshot, 100), 100U) << "enough to know";
}

/// Returns inputs whose number of updates grows with the square of `count`, with a block for each target, and
/// metadata.
BuildInputs large_inputs(int count) {
  BuildInputs inputs;
  GraphData data;
  ChannelData all = channel("all", {});
  std::vector<std::string> before;
  for (int i = 0; i < count; ++i) {
    const std::string version = "4.8." + std::to_string(i);
    inputs.releases.push_back(release(version, before));
    inputs.releases.back().metadata[std::string(metadata_key::previous_remove)] = "4.8.0,4.8.1";
    inputs.releases.back().metadata[std::string(metadata_key::previous_remove_regex)] = "4[.]8[.]2$";
    before.push_back(version);
    all.versions.push_back({Version::parse(version).value(), {}});
    data.blocks.push_back(block(version, "Risk" + std::to_string(i)));
  }
  data.channels.push_back(all);
  UpstreamGraph upstream{.source = "https://up.example/graph", .channel = "up", .arch = "amd64", .graph = {}};
  for (int i = 0; i < count; ++i) {
    upstream.graph.nodes.push_back({.version = "4.9." + std::to_string(i), .payload = "p", .metadata = {}});
    if (i > 0) upstream.graph.edges.emplace_back(i - 1, i);
  }
  inputs.upstreams.push_back(std::move(upstream));
  inputs.graph_data = std::make_shared<const GraphData>(std::move(data));
  return inputs;
}

/// Clock whose time jumps past any deadline at a chosen reading.
class CountingClock final : public Clock {
 public:
  explicit CountingClock(std::size_t last) : last_(last) {}
  WallTime now() const override { return {}; }
  SteadyTime steady() const override { return ++looks_ >= last_ ? SteadyTime::max() : SteadyTime{}; }
  bool wait_until(SteadyTime, std::stop_token) override { return true; }
  std::size_t looks() const { return looks_; }

 private:
  std::size_t last_;
  mutable std::size_t looks_ = 0;
};

TEST(Bounds, ABuildEndsWhereverItIsWhenItsTimeIsOver) {
  const Limits limits{.deadline = SteadyTime{} + std::chrono::hours(1)};
  CountingClock patient(SIZE_MAX);
  const auto whole = build(large_inputs(60), limits, patient);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ((*whole)->channel_graph("all", "amd64").nodes.size(), 60U);
  ASSERT_GT(patient.looks(), 5U);
  for (std::size_t last = 1; last <= patient.looks(); ++last) {
    const CountingClock clock(last);
    const auto ended = build(large_inputs(60), limits, clock);
    ASSERT_FALSE(ended) << "at look " << last;
    EXPECT_EQ(ended.error().code, ErrorCode::deadline_exceeded);
    EXPECT_EQ(clock.looks(), last) << "nothing is done after it";
  }
  // The work between two looks does not grow with the data.
  CountingClock longer(SIZE_MAX);
  ASSERT_TRUE(build(large_inputs(240), limits, longer));
  EXPECT_GT(longer.looks(), 8 * patient.looks());
}

/// Returns how often `run` reads the clock. If `tries_each` is true, `run` is also ended at each of these
/// readings. `run` returns nothing when it was completed, and otherwise its error's code.
template <class Run>
std::size_t ends_at_each_look(Run run, bool tries_each = true) {
  const Limits limits{.deadline = SteadyTime{} + std::chrono::hours(1)};
  const CountingClock patient(SIZE_MAX);
  EXPECT_EQ(run(limits, patient), std::nullopt);
  for (std::size_t last = 1; tries_each && last <= patient.looks(); ++last) {
    const CountingClock clock(last);
    EXPECT_EQ(run(limits, clock), ErrorCode::deadline_exceeded) << "at look " << last;
    EXPECT_EQ(clock.looks(), last) << "nothing is done after it";
  }
  return patient.looks();
}

TEST(Bounds, ComparingTwoBuildsEndsWhereverItIsWhenItsTimeIsOver) {
  const auto looks = [](int count, bool tries_each) {
    BuildInputs open = large_inputs(count);
    auto data = std::make_shared<GraphData>(*open.graph_data);
    data->blocks.clear();
    open.graph_data = data;
    const auto before = build(large_inputs(count)), after = build(std::move(open)),
               fewer = build(large_inputs(count / 2));
    const WithdrawnUpdates absent = withdrawn_updates({}, *before, *fewer).value();
    const auto code = [](const auto& result) {
      return result ? std::nullopt : std::optional(result.error().code);
    };
    const std::size_t compared = ends_at_each_look(
        [&](const Limits& limits, const Clock& clock) {
          return code(find_widening(*fewer, *after, absent, "", limits, clock));
        },
        tries_each);
    const std::size_t restricted = ends_at_each_look(
        [&](const Limits& limits, const Clock& clock) {
          return code(restrict_as(*after, *before, absent, "https://example.com", limits, clock));
        },
        tries_each);
    const std::size_t remembered = ends_at_each_look(
        [&](const Limits& limits, const Clock& clock) {
          return code(withdrawn_updates(absent, *before, *fewer, true, SIZE_MAX, limits, clock));
        },
        tries_each);
    return std::vector{compared, restricted, remembered};
  };
  const auto few = looks(30, true), many = looks(120, false);
  // The work between two looks does not grow with the data.
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_GT(many[i], 6 * few[i]) << i;
}

TEST(Bounds, ABuildEndsWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = build(large_inputs(3), {.stop = stop.get_token()}, Clock::system());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace fairway::graph
