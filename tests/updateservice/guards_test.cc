// SPDX-License-Identifier: Apache-2.0

#include "updateservice/guards.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/text.h"
#include "graphdata/raw_metadata.h"
#include "support/shared_data.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"
#include "updateservice/builder.h"
#include "updateservice/internal/builds/payloads.h"
#include "updateservice/internal/peers/narrowest.h"
#include "updateservice/internal/store/last_good_store.h"
#include "updateservice/internal/store/packing.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace fairway::updateservice {
namespace {

constexpr int patches = 40;

std::string image(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 64 - digits.size(), '0');
  return "registry.example/release@sha256:" + digits;
}

/// Returns the releases 4.6.23, and 4.7.1 to 4.7.40 that it updates to.
std::vector<graph::Release> releases() {
  std::vector<graph::Release> list(patches + 1);
  list[0] = {.version = Version::parse("4.6.23").value(), .arch = "amd64", .payload = image(0)};
  for (int i = 1; i <= patches; ++i) {
    list[i] = {.version = Version::parse("4.7." + std::to_string(i)).value(),
               .arch = "amd64",
               .payload = image(i),
               .previous = {"4.6.23"}};
  }
  return list;
}

/// Returns one file for each update, from `first` on.
graphdata::Files files(int first = 1) {
  graphdata::Files files{{"version", "1.2.0\n"}, {"blocked-edges/README.md", "what is blocked\n"}};
  std::string channel = "name: stable-4.7\nversions:\n- 4.6.23\n";
  for (int i = 1; i <= patches; ++i) {
    const std::string version = "4.7." + std::to_string(i);
    channel += "- " + version + "\n";
    if (i < first) continue;
    files["blocked-edges/" + version + "-slow.yaml"] =
        "to: " + version + "\nfrom: ^4[.]6[.]\nurl: https://example.com/slow\nname: Slow\nmessage: Slow.\n" +
        "matchingRules:\n- type: Always\n";
  }
  files["channels/stable-4.7.yaml"] = channel;
  return files;
}

struct World {
  graphdata::Files files = updateservice::files();
  std::vector<graph::Release> releases = updateservice::releases();
  std::vector<graph::UpstreamGraph> upstreams = {};
  int revision = 1;
  std::string data_name = "graph-data";
  bool data_fails = false;
};

class Releases final : public sources::ReleaseSource {
 public:
  explicit Releases(const World& world) : world_(world) {}
  std::string name() const override { return "releases.json"; }
  Result<sources::FetchedReleases> fetch(const sources::FetchContext&) override {
    return sources::FetchedReleases{.releases = world_.releases, .upstreams = world_.upstreams};
  }

 private:
  const World& world_;
};

class Data final : public sources::GraphDataSource {
 public:
  explicit Data(const World& world) : world_(world) {}
  std::string name() const override { return world_.data_name; }
  Result<sources::FetchedGraphData> fetch(const sources::FetchContext&) override {
    if (world_.data_fails) return fail(ErrorCode::unavailable, "nobody answers");
    return sources::FetchedGraphData{.files = world_.files, .revision = std::to_string(world_.revision)};
  }
  bool watch(std::function<void()>, std::stop_token) override { return false; }

 private:
  const World& world_;
};

/// Clock that stands still; once enabled, each reading after a chosen one advances it by an hour.
class TiringClock final : public Clock {
 public:
  WallTime now() const override { return WallTime(std::chrono::hours(24 * 365 * 50)); }
  SteadyTime steady() const override {
    if (tires_ && ++looks_ >= first_) ++hours_;
    return SteadyTime{} + std::chrono::hours(hours_);
  }
  bool wait_until(SteadyTime, std::stop_token) override { return true; }
  void tire_at(std::size_t look) {
    looks_ = 0;
    first_ = look;
    tires_ = true;
  }
  void rest() { tires_ = false; }

 private:
  std::atomic<std::size_t> first_ = 0;
  std::atomic<bool> tires_ = false;
  mutable std::atomic<std::size_t> looks_ = 0;
  mutable std::atomic<int> hours_ = 0;
};

class GuardTest : public ::testing::Test {
 protected:
  void SetUp() override { restart(); }

  void restart() {
    start_again();
    refresh();
  }
  void start_again() {
    const auto kept = builder_ ? built_.inputs : nullptr;
    std::vector<std::unique_ptr<sources::ReleaseSource>> sources;
    sources.push_back(std::make_unique<Releases>(world_));
    builder_ = std::make_unique<Builder>(
        std::move(sources), std::make_unique<Data>(world_), graph::not_understood_url, *machine_,
        graphdata::load, Guards{WideningLimit::parse(limit_).value(), folder_.path().string()});
    if (kept) builder_->restore(kept);
  }
  /// Replaces the built inputs by those that a file of the store gives back.
  void keep_on_disk() {
    LastGoodStore store(folder_.path());
    const auto saved = store.save_inputs(*built_.inputs, "key");
    ASSERT_TRUE(saved) << saved.error().message;
    const auto stored = store.load_inputs();
    ASSERT_TRUE(stored);
    built_.inputs = stored->inputs;
  }
  /// Starts a replica without memory beside one that holds `inputs`.
  void start_beside(const BuiltInputs& inputs) {
    std::vector<std::unique_ptr<sources::ReleaseSource>> sources;
    sources.push_back(std::make_unique<Releases>(world_));
    builder_ = std::make_unique<Builder>(
        std::move(sources), std::make_unique<Data>(world_), graph::not_understood_url, *machine_,
        graphdata::load,
        Guards{WideningLimit::parse(limit_).value(), folder_.path().string(), /*has_peers=*/true});
    auto held =
        narrowest({std::make_shared<const BuiltInputs>(inputs)}, graph::not_understood_url, {}, *machine_);
    ASSERT_TRUE(held) << held.error().message;
    builder_->learn({.inputs = held->inputs, .snapshot = held->snapshot});
  }
  void refresh() {
    ++world_.revision;
    auto outcome = builder_->refresh({});
    ASSERT_TRUE(outcome) << outcome.error().message;
    built_ = std::move(*outcome);
  }
  std::size_t open() const { return built_.snapshot->channel_graph("stable-4.7", "amd64").edges.size(); }
  std::size_t nodes() const { return built_.snapshot->channel_graph("stable-4.7", "amd64").nodes.size(); }
  std::string payload(const std::string& version) const {
    const auto graph = built_.snapshot->channel_graph("stable-4.7", "amd64");
    const auto node = graph.find(version);
    return node ? graph.nodes[*node].payload : "";
  }
  std::vector<graph::Problem> problems(std::string_view kind) const {
    std::vector<graph::Problem> found;
    for (const graph::Problem& problem : built_.snapshot->problems) {
      if (problem.kind == kind) found.push_back(problem);
    }
    return found;
  }

  fairway::testing::TempDirectory folder_;
  std::string limit_ = "10,5%";
  FakeClock clock_{WallTime(std::chrono::hours(24 * 365 * 50))};
  TiringClock tiring_clock_;
  Clock* machine_ = &clock_;
  World world_;
  std::unique_ptr<Builder> builder_;
  BuildOutcome built_;
};

TEST_F(GuardTest, HoldsWhatLiftsMoreThanBothLimits) {
  EXPECT_EQ(open(), 0U);
  world_.files = files(13);
  refresh();
  EXPECT_EQ(open(), 0U) << "12 of 40 are more than 10 and more than 5%";
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->lifted.size(), 12U);
  EXPECT_EQ(built_.held->blocks, 40U);
  EXPECT_FALSE(built_.fresh);
  const auto held = problems(graph::problem_kind::widening_held);
  ASSERT_EQ(held.size(), 1U);
  EXPECT_TRUE(held[0].message.contains("12 of 40")) << held[0].message;
  EXPECT_TRUE(held[0].message.contains(built_.held->id));
  EXPECT_FALSE(held[0].public_message.contains("4.7."));

  world_.files = files();
  refresh();
  EXPECT_FALSE(built_.held) << "what is repaired is held no more";
  EXPECT_TRUE(problems(graph::problem_kind::widening_held).empty());
}

TEST_F(GuardTest, OpensNothingWhereItsTimeIsOver) {
  machine_ = &tiring_clock_;
  start_again();
  refresh();
  world_.files = files(13);
  std::size_t ended = 0;
  do {
    tiring_clock_.tire_at(++ended);
    refresh();
    tiring_clock_.rest();
    ASSERT_EQ(open(), 0U) << "at look " << ended;
    ASSERT_FALSE(built_.fresh);
  } while (!built_.held && ended < 10'000);
  EXPECT_GT(ended, 10U);
  ASSERT_TRUE(built_.held);
  const std::string id = built_.held->id;
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->id, id);
}

TEST_F(GuardTest, TakesWhatStaysWithinOneOfTheLimits) {
  world_.files = files(11);
  refresh();
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 10U);

  limit_ = "10,50%";
  clock_.advance(widening_window + std::chrono::hours(1));
  restart();
  world_.files = files(25);
  refresh();
  EXPECT_FALSE(built_.held) << "14 of 30 are not more than half";
  EXPECT_EQ(open(), 24U);
}

TEST_F(GuardTest, SeesBlocksThatAreLiftedWithoutRemovingTheirFiles) {
  for (auto& [path, text] : world_.files) {
    if (path.starts_with("blocked-edges/4.7.")) text.replace(text.find("^4[.]6[.]"), 9, "^4[.]6[.]23$");
  }
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->lifted.size(), 40U);
  for (auto& [path, text] : world_.files) {
    if (!path.starts_with("blocked-edges/4.7.")) continue;
    text = files()[path];
    text.replace(text.find("Always"), 6, "PromQL\n  promql:\n    promql: vector(0)");
  }
  refresh();
  ASSERT_TRUE(built_.held) << "rules that may match no cluster";
  EXPECT_EQ(built_.held->lifted.size(), 40U);
}

TEST_F(GuardTest, GoesOnWithNewReleasesWhileGraphDataIsHeld) {
  world_.files = files(30);
  world_.releases.erase(world_.releases.begin() + 5);
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(nodes(), 40U);
  EXPECT_EQ(open(), 0U);
}

TEST_F(GuardTest, TakesWhatIsAcceptedInTheReplicasFolder) {
  world_.files = files(30);
  refresh();
  ASSERT_TRUE(built_.held);
  ASSERT_TRUE(accept(folder_.path().string(), std::string(32, '0')));
  refresh();
  EXPECT_TRUE(built_.held) << "another one is accepted";
  ASSERT_TRUE(accept(folder_.path().string(), built_.held->id));
  refresh();
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 29U);
}

TEST_F(GuardTest, TakesWhatIsAcceptedInTheGraphDataForThatAndNothingMore) {
  world_.files = files(30);
  refresh();
  ASSERT_TRUE(built_.held);
  world_.files[accept_widening_path] = "# reviewed\n" + built_.held->id + "\n";
  world_.files.erase("blocked-edges/4.7.40-slow.yaml");
  refresh();
  EXPECT_TRUE(built_.held) << "it lifts one more than what was accepted";
  world_.files["blocked-edges/4.7.40-slow.yaml"] = files()["blocked-edges/4.7.40-slow.yaml"];
  refresh();
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 29U);
}

TEST_F(GuardTest, KnowsWhatWasHeldAgainstUpdatesThatWereAway) {
  const auto all = world_.releases;
  world_.releases.resize(1);
  refresh();
  EXPECT_EQ(nodes(), 1U);
  world_.files = files(30);
  refresh();
  EXPECT_FALSE(built_.held) << "no update is there that it would open";
  restart();
  world_.releases = all;
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->lifted.size(), 29U);
  EXPECT_EQ(open(), 0U);
  ASSERT_TRUE(accept(folder_.path().string(), built_.held->id));
  refresh();
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 29U);
}

TEST_F(GuardTest, KnowsWhatWasHeldAgainstUpdatesThatWereLeftOut) {
  const auto all = world_.releases;
  for (int i = 1; i <= patches; ++i) world_.releases[i].payload.clear();
  world_.releases[0].payload = image(0);
  limit_ = "10,5%";
  builder_.reset();
  restart();
  EXPECT_EQ(open(), 0U);
  world_.files = files(30);
  world_.releases = all;
  refresh();
  EXPECT_TRUE(built_.held) << "blocks of targets that had no image";
  EXPECT_EQ(open(), 0U);
}

TEST_F(GuardTest, AnIdNamesTheRulesThatAreLiftedAndThoseThatTakeTheirPlace) {
  const auto with_query = [this](const std::string& query) {
    for (auto& [path, text] : world_.files) {
      if (!path.starts_with("blocked-edges/4.7.")) continue;
      text = files()[path];
      text.replace(text.find("Always"), 6, "PromQL\n  promql:\n    promql: " + query);
    }
    refresh();
  };
  with_query("corrected");
  ASSERT_TRUE(built_.held);
  const std::string id = built_.held->id;
  ASSERT_TRUE(accept(folder_.path().string(), id));
  with_query("vector(0)");
  ASSERT_TRUE(built_.held) << "another query than the one that was accepted";
  EXPECT_NE(built_.held->id, id);
  with_query("corrected");
  EXPECT_FALSE(built_.held);
}

TEST_F(GuardTest, AnAcceptedIdOpensOnce) {
  world_.files = files(30);
  refresh();
  ASSERT_TRUE(built_.held);
  const std::string id = built_.held->id;
  ASSERT_TRUE(accept(folder_.path().string(), id));
  refresh();
  EXPECT_EQ(open(), 29U);
  world_.files = files();
  refresh();
  EXPECT_EQ(open(), 0U);
  restart();
  world_.files = files(30);
  refresh();
  ASSERT_TRUE(built_.held) << "it was closed again, and opens by mistake";
  EXPECT_NE(built_.held->id, id);
  ASSERT_TRUE(accept(folder_.path().string(), built_.held->id));
  refresh();
  EXPECT_EQ(open(), 29U);
}

TEST_F(GuardTest, TakesNewBlocksWhileAWideningIsHeld) {
  builder_.reset();
  world_.files = files(3);
  restart();
  EXPECT_EQ(open(), 2U);
  world_.files = files(30);
  world_.files["blocked-edges/4.7.1-Broken.yaml"] = "to: 4.7.1\nfrom: .*\n";
  world_.releases.push_back({.version = Version::parse("4.7.41").value(),
                             .arch = "amd64",
                             .payload = image(41),
                             .previous = {"4.6.23"}});
  world_.files["channels/stable-4.7.yaml"] += "- 4.7.41\n";
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->lifted.size(), 27U);
  EXPECT_EQ(open(), 2U) << "4.7.2 and the new 4.7.41";
  EXPECT_EQ(nodes(), 42U);
  const std::string id = built_.held->id;
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->id, id);
  restart();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(built_.held->id, id);
  EXPECT_EQ(open(), 2U);
  // A file with the old name and a narrower block beside the old one.
  world_.files["blocked-edges/4.7.2-new.yaml"] = "to: 4.7.2\nfrom: .*\n";
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(open(), 1U);
  EXPECT_EQ(built_.held->id, id);
  ASSERT_TRUE(accept(folder_.path().string(), id));
  refresh();
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 28U) << "4.7.3 to 4.7.29, and 4.7.41";
}

TEST_F(GuardTest, HoldsWhatLiftsTheBlocksThatCameWhileAWideningWasHeld) {
  builder_.reset();
  world_.files = files(31);
  restart();
  EXPECT_EQ(open(), 30U);
  const auto block_others = [this] {
    for (int i = 1; i <= 20; ++i) {
      world_.files["blocked-edges/4.7." + std::to_string(i) + "-late.yaml"] =
          "to: 4.7." + std::to_string(i) + "\nfrom: .*\n";
    }
  };
  limit_ = "5,5%";
  restart();
  world_.files = files(41);
  block_others();
  refresh();
  ASSERT_TRUE(built_.held) << "it lifts ten";
  EXPECT_EQ(open(), 10U);
  world_.files = files(41);
  refresh();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(open(), 10U) << "the twenty as well as the ten";
  world_.files = files(31);
  refresh();
  ASSERT_TRUE(built_.held) << "without the ten there are still the twenty";
  EXPECT_EQ(open(), 10U);
  EXPECT_EQ(built_.held->lifted.size(), 20U);
}

/// Returns the answer of another update service: the updates from 4.6.23, those into `first` to `last` with a
/// risk.
graph::UpstreamGraph upstream(int first, int last, const std::string& risk) {
  graph::UpstreamGraph upstream{.source = "upstream", .channel = "stable-4.7", .arch = "amd64"};
  upstream.graph.nodes.push_back({.version = "4.6.23", .payload = image(0)});
  graph::ConditionalEdges restrained{
      .risks = {{.name = risk, .message = "Slow.", .matching_rules = graph::always_rule()}}};
  for (int i = 1; i <= patches; ++i) {
    upstream.graph.nodes.push_back({.version = "4.7." + std::to_string(i), .payload = image(i)});
    (first <= i && i <= last ? restrained.edges : upstream.graph.edges).emplace_back(0, i);
  }
  if (!restrained.edges.empty()) upstream.graph.conditional_edges.push_back(std::move(restrained));
  return upstream;
}

TEST_F(GuardTest, HoldsOverARestartHoweverOftenMoreWasHeld) {
  builder_.reset();
  world_.files = files(41);
  world_.releases.clear();
  world_.upstreams = {upstream(27, 40, "Slow")};
  restart();
  EXPECT_EQ(open(), 26U);
  world_.upstreams = {upstream(0, 0, "")};
  refresh();
  ASSERT_TRUE(built_.held) << "it lifts fourteen";
  for (int round = 0; round < static_cast<int>(most_nested_inputs) + 3; ++round) {
    world_.upstreams = {upstream(1, 14, "Late" + std::to_string(round))};
    refresh();
    world_.upstreams = {upstream(0, 0, "")};
    refresh();
    ASSERT_TRUE(built_.held);
    ASSERT_EQ(open(), 12U) << "neither the fourteen nor those that were closed meanwhile, round " << round;
  }
  const BuiltInputs held = *built_.inputs;
  keep_on_disk();
  restart();
  EXPECT_TRUE(built_.held);
  EXPECT_EQ(open(), 12U);
  start_beside(held);
  refresh();
  EXPECT_TRUE(built_.held) << "another replica, that learns of it";
  EXPECT_EQ(open(), 12U);
}

/// Fixture for refreshes that are held: blocks that their data adds must not be lost, whichever file adds
/// them.
class HeldDataTest : public GuardTest {
 protected:
  static std::string block(const std::string& to, const std::string& name) {
    return "to: " + to + "\nfrom: .*\nurl: https://example.com/x\nname: " + name +
           "\nmessage: X.\nmatchingRules:\n- type: Always\n";
  }
  /// Begins with 4.7.1 to 4.7.12 open.
  void begin_with(const graphdata::Files& more) {
    builder_.reset();
    world_.files = files(13);
    world_.files.insert(more.begin(), more.end());
    restart();
  }
  /// Lifts the other blocks, with files that close.
  void close_with(const graphdata::Files& more) {
    world_.files = files(41);
    for (const auto& [path, text] : more) world_.files[path] = text;
    refresh();
    ASSERT_TRUE(built_.held);
  }
  void stays_over_a_restart() {
    const std::size_t before = open();
    const graph::Widening held = *built_.held;
    keep_on_disk();
    world_.data_fails = true;
    restart();
    EXPECT_EQ(open(), before);
    ASSERT_TRUE(built_.held) << "nobody has said anything since";
    EXPECT_EQ(built_.held->id, held.id);
    EXPECT_EQ(built_.held->lifted.size(), held.lifted.size());
    world_.data_fails = false;
    refresh();
    EXPECT_EQ(open(), before);
    ASSERT_TRUE(built_.held);
    EXPECT_EQ(built_.held->id, held.id);
  }
};

TEST_F(HeldDataTest, KeepsWhatRawMetadataCloses) {
  begin_with({{graphdata::raw_metadata_path, "{}"}});
  EXPECT_EQ(open(), 12U);
  close_with({{graphdata::raw_metadata_path,
               R"({"4.7.1":{"io.openshift.upgrades.graph.previous.remove":"4.6.23"}})"}});
  EXPECT_EQ(open(), 11U);
  stays_over_a_restart();
}

TEST_F(HeldDataTest, KeepsFilesThatDifferByTheirExtensionOnly) {
  begin_with({{"blocked-edges/x.yaml", block("4.7.1", "A")}, {"blocked-edges/x.yml", block("4.7.2", "B")}});
  EXPECT_EQ(open(), 10U);
  close_with({{"blocked-edges/x.yaml", block("4.7.3", "C")}, {"blocked-edges/x.yml", block("4.7.4", "D")}});
  EXPECT_EQ(open(), 8U);
  std::size_t kept = 0;
  for (const auto& [path, text] : *built_.inputs->files) kept += path.starts_with("blocked-edges/x") ? 1 : 0;
  EXPECT_EQ(kept, 4U) << "the archive of graph data has all of them";
  stays_over_a_restart();
}

TEST_F(HeldDataTest, WaitsForTheSourceWhereAnEarlierProgramHasNotKeptIt) {
  begin_with({{graphdata::raw_metadata_path, "{}"}});
  close_with({{graphdata::raw_metadata_path,
               R"({"4.7.1":{"io.openshift.upgrades.graph.previous.remove":"4.6.23"}})"}});
  built_.inputs = unpack_inputs(pack_inputs(*built_.inputs)).value();
  const auto stored = build_snapshot(*built_.inputs, "graph-data", graph::not_understood_url);
  ASSERT_TRUE(stored);
  EXPECT_EQ((*stored)->channel_graph("stable-4.7", "amd64").edges.size(), 11U)
      << "what is served until the first build";
  world_.data_fails = true;
  start_again();
  EXPECT_FALSE(builder_->refresh({})) << "what is held cannot be judged without it";
  world_.data_fails = false;
  refresh();
  EXPECT_TRUE(built_.held);
  EXPECT_EQ(open(), 11U);
}

TEST_F(GuardTest, AddsUpWhatIsLiftedStepByStep) {
  int first = 1;
  const auto lift = [&](int blocks) {
    first += blocks;
    world_.files = files(first);
    refresh();
  };
  lift(5);
  lift(5);
  EXPECT_FALSE(built_.held);
  EXPECT_EQ(open(), 10U);
  lift(1);
  EXPECT_TRUE(built_.held) << "eleven within a day";
  EXPECT_EQ(open(), 10U);
  restart();
  EXPECT_TRUE(built_.held) << "a restart forgets nothing";
  clock_.advance(widening_window + std::chrono::hours(1));
  refresh();
  EXPECT_FALSE(built_.held) << "a day later";
  EXPECT_EQ(open(), 11U);
}

/// Returns blocks that concern one update that nobody takes: `names` of them for each target.
graphdata::Files padding(int names) {
  graphdata::Files files;
  for (int i = 1; i <= patches; ++i) {
    for (int k = 0; k < names; ++k) {
      const std::string version = "4.7." + std::to_string(i), name = "Junk" + std::to_string(k);
      files["blocked-edges/" + version + "-" + name + ".yaml"] =
          "to: " + version + "\nfrom: .*\nurl: https://example.com/junk\nname: " + name +
          "\nmessage: Junk.\nmatchingRules:\n- type: Always\n";
    }
  }
  return files;
}

TEST_F(GuardTest, BlocksThatCameWithinADayDoNotHelpToLiftOthers) {
  const graphdata::Files junk = padding(10);
  const auto lift = [&](int first) {
    world_.files = files(first);
    world_.files.insert(junk.begin(), junk.end());
    refresh();
  };
  lift(1);
  EXPECT_FALSE(built_.held);
  lift(13);
  ASSERT_TRUE(built_.held) << "12 of 40: the 400 others are new";
  keep_on_disk();
  restart();
  EXPECT_TRUE(built_.held) << "a restart forgets nothing";
  lift(11);
  EXPECT_FALSE(built_.held) << "ten are few, whatever there is beside them";
  lift(1);
  clock_.advance(widening_window + std::chrono::hours(1));
  refresh();
  lift(13);
  EXPECT_FALSE(built_.held) << "12 of 440 that were in force for a day";
}

TEST_F(GuardTest, NoShareCountsWhereTheLastDayIsNotKnown) {
  builder_.reset();
  const graphdata::Files junk = padding(10);
  world_.files.insert(junk.begin(), junk.end());
  restart();
  const std::string earlier = pack_inputs(*built_.inputs);
  const auto lift = [&] {
    world_.files = files(13);
    world_.files.insert(junk.begin(), junk.end());
    refresh();
  };
  built_.inputs = unpack_inputs(earlier).value();
  start_again();
  lift();
  EXPECT_TRUE(built_.held) << "what an earlier program has kept says nothing of the last day";
  start_beside(*unpack_inputs(earlier).value());
  lift();
  EXPECT_TRUE(built_.held) << "nor does what another replica says";
  built_.inputs = unpack_inputs(earlier).value();
  start_again();
  world_.files = files();
  world_.files.insert(junk.begin(), junk.end());
  refresh();
  clock_.advance(widening_window + std::chrono::hours(1));
  lift();
  EXPECT_FALSE(built_.held);
}

TEST_F(GuardTest, ATimeThatIsNoneCountsAsNow) {
  world_.files = files(9);
  refresh();
  ASSERT_FALSE(built_.held);
  ASSERT_EQ(built_.inputs->guard.lifted.size(), 8U);
  std::string bytes = pack_inputs(*built_.inputs);
  Packer time;
  time.number(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(clock_.now().time_since_epoch()).count()));
  const std::string right = time.take(), wrong(right.size(), '\xff');
  for (std::size_t at = bytes.find(right); at != std::string::npos; at = bytes.find(right, at))
    bytes.replace(at, right.size(), wrong);
  built_.inputs = unpack_inputs(bytes).value();
  clock_.advance(std::chrono::hours(1));
  start_again();
  world_.files = files(14);
  refresh();
  EXPECT_TRUE(built_.held) << "13 of 40, 8 of them at a time that nobody knows";

  world_.files = files(9);
  refresh();
  ASSERT_FALSE(built_.held);
  clock_.advance(widening_window + std::chrono::hours(1));
  world_.files = files(14);
  refresh();
  EXPECT_FALSE(built_.held) << "it counts from when it was read";
}

TEST_F(GuardTest, ComparesWithWhatWasServedFromAnotherSource) {
  world_.data_name = "another";
  world_.files = files(30);
  restart();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(open(), 0U);
  std::erase_if(world_.files, [](const auto& file) { return file.first.starts_with("blocked-edges/"); });
  world_.data_name = "third";
  start_again();
  const auto refused = builder_->refresh({});
  ASSERT_FALSE(refused) << "its blocked-edges are gone, compared with the other's";
  EXPECT_TRUE(refused.error().message.contains("blocked-edges")) << refused.error().message;
}

TEST_F(GuardTest, AnImageThatWasAcceptedOnceDoesNotComeBackByItself) {
  graph::Release other = world_.releases[1];
  other.payload = image(901);
  world_.releases.push_back(other);
  const std::string a(digest_of(image(1))), b(digest_of(image(901)));
  ASSERT_TRUE(accept(folder_.path().string(), "4.7.1+amd64=" + a));
  ASSERT_TRUE(accept(folder_.path().string(), "4.7.1+amd64=" + b));
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(901)) << "the last line counts";
  for (int i = 0; i < 3; ++i) {
    world_.files["blocked-edges/note.md"] += "changed\n";
    refresh();
    EXPECT_EQ(payload("4.7.1"), image(901));
  }
}

TEST_F(GuardTest, ComparesWithWhatWasKeptOverARestart) {
  world_.files = files(30);
  restart();
  ASSERT_TRUE(built_.held);
  EXPECT_EQ(open(), 0U);
}

TEST_F(GuardTest, IsOffWhereItIsSaid) {
  limit_ = "off";
  restart();
  world_.files = files(30);
  refresh();
  EXPECT_EQ(open(), 29U);
}

TEST_F(GuardTest, RefusesARepositoryWhoseBlockedEdgesAreGone) {
  limit_ = "off";
  restart();
  std::erase_if(world_.files, [](const auto& file) { return file.first.starts_with("blocked-edges/"); });
  refresh();
  EXPECT_EQ(open(), 0U);
  EXPECT_EQ(problems(graph::problem_kind::graph_data_refused).size(), 1U);
  restart();
  EXPECT_EQ(open(), 0U);
}

TEST_F(GuardTest, DoesNotChangeAVersionsImageByItself) {
  const std::string before = payload("4.7.1");
  world_.releases[1].payload = image(901);
  refresh();
  EXPECT_EQ(payload("4.7.1"), before);
  const auto conflicts = problems(graph::problem_kind::payload_conflict);
  ASSERT_EQ(conflicts.size(), 1U);
  EXPECT_TRUE(conflicts[0].message.contains(image(901))) << conflicts[0].message;
  EXPECT_TRUE(conflicts[0].message.contains(before));
  restart();
  EXPECT_EQ(payload("4.7.1"), before) << "known after a restart, though nobody offers it any more";
  restart();
  EXPECT_EQ(payload("4.7.1"), before);

  world_.files[accept_payloads_path] = "4.7.1+amd64 " + std::string(digest_of(image(901))) + "\n";
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(901));
  EXPECT_TRUE(problems(graph::problem_kind::payload_conflict).empty());
  world_.files.erase(accept_payloads_path);
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(901)) << "the new one is the known one now";
}

TEST_F(GuardTest, KeepsTheImageWhereAnotherTagWouldWin) {
  const std::string before = payload("4.7.1");
  graph::Release other = world_.releases[1];
  other.payload = image(901);
  other.previous = {"4.6.23", "4.7.2"};
  world_.releases.insert(world_.releases.begin(), other);
  refresh();
  EXPECT_EQ(payload("4.7.1"), before);
  EXPECT_EQ(problems(graph::problem_kind::payload_conflict).size(), 1U);
  ASSERT_TRUE(accept(folder_.path().string(), "4.7.1+amd64=" + std::string(digest_of(image(901)))));
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(901));
}

TEST_F(GuardTest, KnowsAnImageAfterTheVersionWasAway) {
  const auto all = world_.releases;
  world_.releases.erase(world_.releases.begin() + 1);
  refresh();
  EXPECT_EQ(payload("4.7.1"), "");
  world_.releases = all;
  world_.releases[1].payload = image(901);
  refresh();
  EXPECT_EQ(payload("4.7.1"), "") << "neither the new one, nor one whose updates are not known any more";
  world_.releases = all;
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(1));
}

TEST_F(GuardTest, TakesNoImageAndNoReleaseFromAnotherReplica) {
  BuiltInputs hostile = *built_.inputs;
  hostile.payloads["4.7.1+amd64"] = image(666);
  hostile.payloads["4.7.99+amd64"] = image(667);
  for (graph::Release& release : hostile.releases[0].releases) {
    if (release.version.to_string() == "4.7.1") release.payload = image(666);
  }
  hostile.releases[0].releases.push_back({.version = Version::parse("4.7.99").value(),
                                          .arch = "amd64",
                                          .payload = image(667),
                                          .previous = {"4.6.23"}});
  start_beside(hostile);
  for (int round = 0; round < 3; ++round) {
    refresh();
    EXPECT_EQ(payload("4.7.1"), "") << "no source offers the image that the other one serves";
    EXPECT_EQ(payload("4.7.2"), image(2));
    EXPECT_EQ(payload("4.7.99"), "");
    const auto conflicts = problems(graph::problem_kind::payload_conflict);
    ASSERT_EQ(conflicts.size(), 1U);
    EXPECT_TRUE(conflicts[0].message.contains("is served by another replica")) << conflicts[0].message;
    if (round == 1) start_again();
  }
  ASSERT_TRUE(accept(folder_.path().string(), "4.7.1+amd64=" + std::string(digest_of(image(1)))));
  refresh();
  EXPECT_EQ(payload("4.7.1"), image(1));
}

TEST_F(GuardTest, RemembersNoMoreImagesOfOthersHoweverOftenTheyAreAsked) {
  const BuiltInputs inputs = *built_.inputs;
  start_beside(inputs);
  const auto held =
      narrowest({std::make_shared<const BuiltInputs>(inputs)}, graph::not_understood_url, {}, *machine_);
  ASSERT_TRUE(held) << held.error().message;
  for (int round = 0; round < 3; ++round) {
    auto other = std::make_shared<BuiltInputs>(*held->inputs);
    for (std::size_t i = 0; i < max_payloads / 2; ++i)
      other->payloads["9." + std::to_string(round) + "." + std::to_string(i) + "+amd64"] = image(1);
    builder_->learn({.inputs = other, .snapshot = held->snapshot});
  }
  refresh();
  EXPECT_LE(built_.inputs->payloads.size(), max_payloads);
  EXPECT_GT(built_.inputs->payloads.size(), max_payloads / 2);
  world_.files = files(30);
  refresh();
  EXPECT_TRUE(built_.held) << "what was learnt before is compared with";
}

TEST_F(GuardTest, AnImageOfAnotherReplicaIsNotServedInAnUpstreamsGraph) {
  BuiltInputs inputs;
  graph::UpstreamGraph upstream{.source = "upstream", .channel = "stable-4.7", .arch = "amd64"};
  upstream.graph.nodes.resize(2);
  upstream.graph.nodes[0] = {.version = "4.7.1", .payload = image(1)};
  upstream.graph.nodes[1] = {.version = "4.7.2", .payload = image(2)};
  inputs.releases.push_back({.upstreams = {upstream}});
  const Payloads known{{"4.7.1+amd64", "@" + std::string(digest_of(image(666)))},
                       {"4.7.2+amd64", "@" + std::string(digest_of(image(2)))}};
  std::vector<graph::Problem> problems;
  keep_payloads(inputs, nullptr, known, {}, problems);
  EXPECT_EQ(inputs.releases[0].upstreams[0].graph.nodes[0].payload, "");
  EXPECT_EQ(inputs.releases[0].upstreams[0].graph.nodes[1].payload, image(2));
  EXPECT_EQ(problems.size(), 1U);
}

TEST_F(GuardTest, TakesNoUpdateFromTheMetadataOfAnotherReplica) {
  BuiltInputs hostile = *built_.inputs;
  graphdata::Files files = *hostile.files;
  files[graphdata::raw_metadata_path] = R"({"4.7.40":{"io.openshift.upgrades.graph.previous.add":"4.7.1"}})";
  hostile.files = std::make_shared<const graphdata::Files>(std::move(files));
  world_.files = updateservice::files(30);
  start_beside(hostile);
  ++world_.revision;
  const auto outcome = builder_->refresh({});
  ASSERT_FALSE(outcome);
  EXPECT_TRUE(outcome.error().message.contains(graphdata::raw_metadata_path)) << outcome.error().message;
  EXPECT_TRUE(outcome.error().message.contains("fairway graph accept "));
}

TEST_F(GuardTest, ServesNothingOfAnotherReplicaWhereItsOwnDataIsRefused) {
  start_beside(*built_.inputs);
  world_.files["blocked-edges/4.7.1-slow.yaml"] = "from: no target\n";
  ++world_.revision;
  EXPECT_FALSE(builder_->refresh({}));
  EXPECT_TRUE(builder_->lacks_memory()) << "the others are asked until there is a build of its own";
}

TEST(WideningLimit, IsReadAndWritten) {
  for (const char* text : {"10,5%", "0,0%", "100,12.5%", "off"}) {
    const auto limit = WideningLimit::parse(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->to_string(), text);
  }
  for (const char* text : {"", "10", "5%", "10,5", "10,101%", "-1,5%", "10, 5%", "10,nan%", "on"}) {
    EXPECT_FALSE(WideningLimit::parse(text)) << text;
  }
}

TEST(Accept, TakesIdsAndImagesOnly) {
  const fairway::testing::TempDirectory folder;
  const std::string directory = folder.path().string();
  EXPECT_FALSE(accept(directory, "yes"));
  EXPECT_FALSE(accept(directory, "4.7.1=sha256:00")) << "of which architecture?";
  EXPECT_FALSE(accept(directory + "/none", std::string(32, 'a')));
  ASSERT_TRUE(accept(directory, std::string(32, 'a')));
  ASSERT_TRUE(accept(directory, "4.7.1+amd64=registry.example/release@sha256:0b"));
  const Accepted accepted =
      read_accepted(directory, {{accept_widening_path, "no id\n" + std::string(32, 'b')}});
  EXPECT_EQ(accepted.widenings, (std::set<std::string>{std::string(32, 'a'), std::string(32, 'b')}));
  EXPECT_EQ(accepted.payloads.at("4.7.1+amd64"), (std::set<std::string>{"sha256:0b"}));
}

/// Counts how often the limit would have held the real repository, with its removed files taken as lifted
/// blocks.
TEST(WideningLimit, HoldsTheRealRepositoryRarely) {
  const auto path = fairway::testing::shared_path("data/graph-data/history.tsv");
  FAIRWAY_NEEDS_SHARED(path);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const WideningLimit limit = WideningLimit::parse("10,5%").value();
  std::size_t changes = 0, removing = 0, held = 0;
  while (std::getline(file, line)) {
    const auto columns = split(line, '\t');
    ASSERT_EQ(columns.size(), 6U) << line;
    const std::size_t added = std::stoul(std::string(columns[2])),
                      removed = std::stoul(std::string(columns[4]));
    graph::Widening widening{.blocks = std::stoul(std::string(columns[5])) + removed - added};
    widening.lifted.resize(removed);
    ++changes;
    removing += removed > 0 ? 1 : 0;
    if (!limit.is_exceeded_by(widening)) continue;
    ++held;
    std::printf("held: %s: %zu of %zu\n", std::string(columns[0]).c_str(), removed, widening.blocks);
  }
  std::printf("%zu changes, %zu remove files, %zu are held\n", changes, removing, held);
  EXPECT_GT(changes, 500U);
  EXPECT_LT(held * 100, changes);
}

}  // namespace
}  // namespace fairway::updateservice
