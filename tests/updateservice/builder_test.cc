// SPDX-License-Identifier: Apache-2.0

#include "updateservice/builder.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <new>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/small_graph.h"
#include "updateservice/internal/store/stored_inputs.h"

namespace fairway::updateservice {
namespace {

/// A source of releases whose answers the test sets.
class FakeReleases final : public sources::ReleaseSource {
 public:
  struct Script {
    std::string name = "releases.json";
    std::function<Result<sources::FetchedReleases>()> answer;
    std::atomic<int> asked = 0;              ///< number of requests; written by threads of the builder, too
    std::vector<std::string> channels = {};  ///< an upstream's
    std::string identity = {};               ///< empty: the name
  };
  explicit FakeReleases(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  std::string name() const override { return script_->name; }
  std::string identity() const override {
    return script_->identity.empty() ? script_->name : script_->identity;
  }
  Result<sources::FetchedReleases> fetch(const sources::FetchContext&) override {
    ++script_->asked;
    return script_->answer();
  }
  std::vector<std::string> channels() const override { return script_->channels; }

 private:
  std::shared_ptr<Script> script_;
};

class FakeGraphData final : public sources::GraphDataSource {
 public:
  struct Script {
    std::function<Result<sources::FetchedGraphData>()> answer;
    std::string identity = "graph-data";
  };
  explicit FakeGraphData(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  std::string name() const override { return "graph-data"; }
  std::string identity() const override { return script_->identity; }
  Result<sources::FetchedGraphData> fetch(const sources::FetchContext&) override { return script_->answer(); }
  bool watch(std::function<void()>, std::stop_token) override { return false; }

 private:
  std::shared_ptr<Script> script_;
};

sources::FetchedReleases small_releases(const std::string& revision = "r1") {
  sources::FetchedReleases fetched;
  fetched.revision = revision;
  fetched.releases =
      graph::read_release_list(fairway::testing::small_release_list(), "releases.json").value().releases;
  return fetched;
}

sources::FetchedGraphData graph_data(const std::map<std::string, std::string>& changes = {},
                                     const std::string& revision = "g1") {
  sources::FetchedGraphData fetched{fairway::testing::small_graph_data(), revision};
  for (const auto& [name, bytes] : changes) fetched.files[name] = bytes;
  return fetched;
}

std::unexpected<Error> down() {
  return fail(ErrorCode::unavailable, "connection refused");
}

bool has_problem(const graph::Snapshot& snapshot, std::string_view kind) {
  return std::ranges::any_of(snapshot.problems, [&](const auto& problem) { return problem.kind == kind; });
}

class BuilderTest : public ::testing::Test {
 protected:
  BuilderTest() {
    releases_->answer = [] { return small_releases(); };
    data_->answer = [] { return graph_data(); };
  }
  std::unique_ptr<Builder> builder() {
    std::vector<std::unique_ptr<sources::ReleaseSource>> sources;
    sources.push_back(std::make_unique<FakeReleases>(releases_));
    if (second_) sources.push_back(std::make_unique<FakeReleases>(second_));
    return std::make_unique<Builder>(
        std::move(sources), std::make_unique<FakeGraphData>(data_), graph::not_understood_url, *clock_,
        [this](const auto& files, const auto& options) {
          ++loads_;
          if (load_throws_) throw std::bad_alloc();
          auto loaded = graphdata::load(files, options);
          if (after_load_) after_load_();
          return loaded;
        },
        guards_);
  }

  std::shared_ptr<FakeReleases::Script> releases_ = std::make_shared<FakeReleases::Script>();
  std::shared_ptr<FakeReleases::Script> second_;
  std::shared_ptr<FakeGraphData::Script> data_ = std::make_shared<FakeGraphData::Script>();
  Guards guards_;
  Clock* clock_ = &Clock::system();
  bool load_throws_ = false;
  std::function<void()> after_load_;
  int loads_ = 0;  ///< number of times that graph data was loaded
};

TEST_F(BuilderTest, KeepsTheLastGoodWhereASourceThrows) {
  const auto built = builder();
  ASSERT_TRUE(built->refresh({}));
  const auto stays = [&] {
    const auto again = built->refresh({});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->fresh);
    EXPECT_EQ(again->snapshot->channel_graph("stable-4.7", "amd64").nodes.size(), 3U);
    EXPECT_TRUE(has_problem(*again->snapshot, graph::problem_kind::source_unavailable));
  };
  data_->answer = []() -> Result<sources::FetchedGraphData> { throw std::bad_alloc(); };
  stays();
  data_->answer = [] { return graph_data({}, "g2"); };
  load_throws_ = true;
  stays();
  load_throws_ = false;
  releases_->answer = []() -> Result<sources::FetchedReleases> { throw std::length_error("too long"); };
  stays();
  releases_->answer = [] { return small_releases(); };
  const auto good = built->refresh({});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->fresh);
  EXPECT_EQ(good->inputs->revision, "g2");
}

TEST_F(BuilderTest, AFirstRefreshThatThrowsIsAnError) {
  load_throws_ = true;
  const auto built = builder()->refresh({});
  ASSERT_FALSE(built);
  EXPECT_TRUE(built.error().message.contains("memory")) << built.error().message;
}

TEST_F(BuilderTest, RefusesWhatWouldBeTooLargeToServe) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  std::map<std::string, std::string> bomb;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "Bomb" + std::to_string(i);
    bomb["blocked-edges/4.7.4-" + name + ".yaml"] =
        "to: 4.7.4\nfrom: .*\nurl: https://example.com\nname: " + name +
        "\nmessage: " + std::string(4000, 'x') + "\n";
  }
  for (int i = 0; i < 1500; ++i) {
    const std::string name = "bomb-" + std::to_string(i);
    bomb["channels/" + name + ".yaml"] = "name: " + name + "\nversions: [4.7.0, 4.7.4]\n";
  }
  data_->answer = [&] { return graph_data(bomb, "g2"); };
  const auto kept = maker->refresh({});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_FALSE(kept->fresh);
  EXPECT_EQ(kept->inputs->revision, "g1");
  EXPECT_TRUE(has_problem(*kept->snapshot, graph::problem_kind::graph_data_refused));
  data_->answer = [] { return graph_data({}, "g3"); };
  const auto good = maker->refresh({});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->fresh);
  EXPECT_EQ(good->inputs->revision, "g3");
}

/// Clock that stands still, or advances by hours with every reading.
class SlowMachine final : public Clock {
 public:
  WallTime now() const override { return Clock::system().now(); }
  SteadyTime steady() const override {
    return SteadyTime{} + std::chrono::hours(slow ? ++looks_ : looks_.load());
  }
  bool wait_until(SteadyTime, std::stop_token) override { return true; }
  std::atomic<bool> slow = false;

 private:
  mutable std::atomic<int> looks_ = 0;
};

TEST_F(BuilderTest, KeepsWhatIsServedWhereABuildTakesTooLong) {
  SlowMachine clock;
  clock_ = &clock;
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({}, "g2"); };
  after_load_ = [&] { clock.slow = true; };
  const auto kept = maker->refresh({});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_FALSE(kept->fresh);
  EXPECT_EQ(kept->inputs->revision, "g1");
  EXPECT_TRUE(has_problem(*kept->snapshot, graph::problem_kind::graph_data_refused));
  clock.slow = false;
  const auto good = maker->refresh({});
  ASSERT_TRUE(good);
  EXPECT_TRUE(good->fresh) << "the machine was busy";
  EXPECT_EQ(good->inputs->revision, "g2");
  EXPECT_FALSE(has_problem(*good->snapshot, graph::problem_kind::graph_data_refused));
}

TEST_F(BuilderTest, BuildsNothingMoreOnceItIsStopped) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({}, "g2"); };
  after_load_ = [&] { maker->stop(); };
  for (int i = 0; i < 2; ++i) {
    const auto stopped = maker->refresh({});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  }
}

TEST_F(BuilderTest, PutsReleasesAndGraphDataTogether) {
  const auto built = builder()->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(built->fresh);
  EXPECT_EQ(built->inputs->revision, "g1");
  const auto& snapshot = *built->snapshot;
  const auto graph = snapshot.channel_graph("stable-4.7", "amd64");
  EXPECT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.edges.size(), 1U);
  EXPECT_EQ(graph.conditional_edges.size(), 1U);
}

TEST_F(BuilderTest, GraphDataNeedsNoChannelsWhereAnUpstreamHasSome) {
  sources::FetchedGraphData bare = graph_data();
  std::erase_if(bare.files, [](const auto& file) { return file.first.starts_with("channels/"); });
  data_->answer = [&bare] { return bare; };
  EXPECT_FALSE(builder()->refresh({}));

  second_ = std::make_shared<FakeReleases::Script>();
  second_->name = "https://example.com/graph?channel=stable-4.7&arch=amd64";
  second_->channels = {"stable-4.7"};
  second_->answer = [] {
    sources::FetchedReleases fetched{.revision = "u1"};
    graph::UpstreamGraph upstream{.channel = "stable-4.7", .arch = "amd64"};
    upstream.graph.nodes.push_back({.version = "4.7.1", .payload = "example.com/release@sha256:1"});
    fetched.upstreams.push_back(std::move(upstream));
    return fetched;
  };
  const auto built = builder()->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->snapshot->channel_graph("stable-4.7", "amd64").nodes.size(), 1U);
  // And what was kept of it can be built again.
  EXPECT_TRUE(build_snapshot(*built->inputs, "graph-data", graph::not_understood_url));
}

TEST_F(BuilderTest, GivesTheSameSnapshotWhereNothingChanged) {
  const auto maker = builder();
  const auto first = maker->refresh({});
  const auto second = maker->refresh({});
  ASSERT_TRUE(second);
  EXPECT_EQ(first->snapshot, second->snapshot);
  EXPECT_EQ(first->inputs, second->inputs);
  EXPECT_GT(second->number, first->number);
}

TEST_F(BuilderTest, ComparesAnswersThatHaveNoRevision) {
  releases_->answer = [] { return small_releases(""); };
  const auto maker = builder();
  const auto first = maker->refresh({});
  EXPECT_EQ(maker->refresh({})->snapshot, first->snapshot);
  releases_->answer = [] {
    auto fetched = small_releases("");
    fetched.releases.pop_back();
    return fetched;
  };
  EXPECT_NE(maker->refresh({})->snapshot, first->snapshot);
}

TEST_F(BuilderTest, NamesEverySourceThatHasNotAnsweredYet) {
  releases_->answer = [] { return down(); };
  data_->answer = []() -> Result<sources::FetchedGraphData> {
    return fail(ErrorCode::not_found, "no such folder");
  };
  const auto built = builder()->refresh({});
  ASSERT_FALSE(built);
  for (const char* part : {"releases.json", "connection refused", "graph-data", "no such folder"}) {
    EXPECT_NE(built.error().message.find(part), std::string::npos) << built.error().message;
  }
}

TEST_F(BuilderTest, KeepsTheLastGoodReleasesOfASourceThatFails) {
  second_ = std::make_shared<FakeReleases::Script>();
  second_->name = "more.json";
  second_->answer = [] { return sources::FetchedReleases{.revision = "m1"}; };
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  releases_->answer = [] { return down(); };
  const auto built = maker->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_FALSE(built->fresh);
  EXPECT_EQ(built->upstream_errors, 1U);
  EXPECT_EQ(built->snapshot->architectures.at(0).releases.size(), 3U);
  EXPECT_TRUE(has_problem(*built->snapshot, graph::problem_kind::source_unavailable));

  releases_->answer = [] { return small_releases(); };
  const auto recovered = maker->refresh({});
  EXPECT_TRUE(recovered->fresh);
  EXPECT_FALSE(has_problem(*recovered->snapshot, graph::problem_kind::source_unavailable));
}

TEST_F(BuilderTest, KeepsTheLastGoodGraphDataWhereTheNewestIsRefused) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({{"version", "2.0.0\n"}}, "g2"); };
  const auto built = maker->refresh_graph_data({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_FALSE(built->fresh);
  EXPECT_EQ(built->inputs->revision, "g1");
  EXPECT_TRUE(has_problem(*built->snapshot, graph::problem_kind::graph_data_refused));
  EXPECT_EQ(maker->refresh_graph_data({})->snapshot, built->snapshot) << "refused again is nothing new";

  data_->answer = [] { return graph_data({}, "g3"); };
  const auto recovered = maker->refresh_graph_data({});
  EXPECT_TRUE(recovered->fresh);
  EXPECT_EQ(recovered->inputs->revision, "g3");
  EXPECT_TRUE(recovered->snapshot->problems.empty());
}

TEST_F(BuilderTest, TakesGraphDataBackThatIsAsItWas) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({{"version", "2.0.0\n"}}, "g2"); };
  ASSERT_FALSE(maker->refresh_graph_data({})->fresh);
  data_->answer = [] { return graph_data(); };
  EXPECT_TRUE(maker->refresh_graph_data({})->fresh);
}

TEST_F(BuilderTest, IsNotReadyWhereTheFirstGraphDataIsRefused) {
  data_->answer = [] { return graph_data({{"version", "2.0.0\n"}}); };
  const auto built = builder()->refresh({});
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().message.find("refused"), std::string::npos) << built.error().message;
}

TEST_F(BuilderTest, TellsWhyGraphDataIsRefusedOnlyToThoseWhoSeeEveryChannel) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({{"channels/stable-4.7.yaml", "versions: [\n"}}, "g2"); };
  const auto snapshot = maker->refresh_graph_data({})->snapshot;
  const auto named = [](const graph::View& view) {
    return std::ranges::count_if(view.problems(), [](const auto& problem) {
      return problem.message.find("channels/stable-4.7.yaml") != std::string::npos;
    });
  };
  EXPECT_EQ(named(graph::View(*snapshot)), 1);
  const graph::View without_stable(*snapshot, {true, false});
  EXPECT_FALSE(without_stable.sees_channel("stable-4.7"));
  EXPECT_EQ(named(without_stable), 0);
  EXPECT_FALSE(without_stable.problems().empty()) << "but that something is refused, everybody is told";
}

TEST_F(BuilderTest, KeepsChannelsOutOfProblemsThatNobodyHasSeenYet) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({{"channels/secret-4.7.yaml", "versions: [\n"}}, "g2"); };
  const auto snapshot = maker->refresh_graph_data({})->snapshot;
  const auto told_secret = [](const graph::View& view) {
    return std::ranges::any_of(view.problems(), [](const auto& problem) {
      return problem.message.find("secret") != std::string::npos;
    });
  };
  EXPECT_TRUE(told_secret(graph::View(*snapshot))) << "where there is nothing to hide, everybody is told why";
  EXPECT_FALSE(told_secret(graph::View(*snapshot, {true, true}, {})));
  EXPECT_TRUE(told_secret(graph::View(*snapshot, {true, true}, {}, true)));
}

TEST_F(BuilderTest, KeepsMetadataThatCouldBeReadWhereTheNewestCannot) {
  const std::string metadata = R"({"4.7.4":{"io.openshift.upgrades.graph.previous.remove":"4.7.0"}})";
  const auto broken = [&] {
    return graph_data(
        {{"raw/metadata.json", "{"}, {"channels/more-4.7.yaml", "name: more-4.7\nversions: []\n"}}, "g2");
  };
  data_->answer = [&] { return graph_data({{"raw/metadata.json", metadata}}); };
  auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = broken;
  auto built = maker->refresh({});
  const auto expect_earlier_metadata = [&] {
    EXPECT_EQ(built->inputs->files->at("raw/metadata.json"), metadata);
    EXPECT_EQ(built->snapshot->channels.size(), 3U) << "the rest of the new data is in force";
    EXPECT_FALSE(built->fresh);
    ASSERT_EQ(built->snapshot->problems.size(), 1U);
    EXPECT_EQ(built->snapshot->problems[0].place.file, "raw/metadata.json");
  };
  expect_earlier_metadata();
  const auto graph = built->snapshot->channel_graph("stable-4.7", "amd64");
  EXPECT_TRUE(graph.edges.empty());
  EXPECT_EQ(graph.conditional_edges.size(), 1U);
  EXPECT_EQ(maker->refresh({})->snapshot, built->snapshot) << "the same again is nothing new";

  const auto kept = built->inputs;
  maker = builder();
  maker->restore(kept);
  built = maker->refresh({});
  expect_earlier_metadata();

  data_->answer = [&] { return graph_data({}, "g3"); };
  built = maker->refresh({});
  EXPECT_TRUE(built->fresh);
  EXPECT_TRUE(built->snapshot->problems.empty());
}

TEST_F(BuilderTest, MakesEveryUpdateConditionalWhereMetadataCouldNeverBeRead) {
  data_->answer = [] { return graph_data({{"raw/metadata.json", "{"}}); };
  const auto built = builder()->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  const auto graph = built->snapshot->channel_graph("stable-4.7", "amd64");
  EXPECT_TRUE(graph.edges.empty());
  EXPECT_EQ(graph.conditional_edges.size(), 2U);
  EXPECT_TRUE(has_problem(*built->snapshot, graph::problem_kind::graph_data));
}

TEST_F(BuilderTest, OnlyLooksAtGraphDataWhereThatIsAsked) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  data_->answer = [] { return graph_data({{"version", "1.1.0\n"}}, "g2"); };
  const auto built = maker->refresh_graph_data({});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->inputs->revision, "g2");
  EXPECT_EQ(releases_->asked, 1);
}

TEST_F(BuilderTest, UnderstandsEachRevisionOfGraphDataOnce) {
  const auto maker = builder();
  const auto first = maker->refresh({});
  ASSERT_TRUE(first);
  EXPECT_EQ(loads_, 1);
  releases_->answer = [] {
    auto fetched = small_releases("r2");
    fetched.releases.pop_back();
    return fetched;
  };
  const auto second = maker->refresh({});
  ASSERT_TRUE(second);
  EXPECT_NE(second->snapshot, first->snapshot);
  EXPECT_EQ(second->snapshot->graph_data, first->snapshot->graph_data);
  EXPECT_EQ(loads_, 1) << "other releases say nothing about graph data";

  data_->answer = [] { return graph_data({{"version", "1.1.0\n"}}, "g2"); };
  const auto third = maker->refresh_graph_data({});
  ASSERT_TRUE(third);
  EXPECT_EQ(loads_, 2);

  data_->answer = [] { return graph_data({{"version", "2.0.0\n"}}, "g3"); };
  EXPECT_TRUE(has_problem(*maker->refresh_graph_data({})->snapshot, graph::problem_kind::graph_data_refused));
  EXPECT_TRUE(has_problem(*maker->refresh({})->snapshot, graph::problem_kind::graph_data_refused));
  EXPECT_EQ(loads_, 3) << "what was refused is not loaded again either";
}

TEST_F(BuilderTest, TakesOverWhatIsUnderstoodWhenItIsMadeAnew) {
  const auto built = builder()->refresh({});
  ASSERT_EQ(loads_, 1);
  const auto reloaded = builder();
  reloaded->restore(built->inputs, built->snapshot);
  const auto again = reloaded->refresh({});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->snapshot->graph_data, built->snapshot->graph_data);
  EXPECT_EQ(loads_, 1);

  const auto restarted = builder();
  restarted->restore(built->inputs);
  ASSERT_TRUE(restarted->refresh({}));
  EXPECT_EQ(loads_, 2) << "only files are kept on disk";
}

TEST_F(BuilderTest, HoldsFilesOnceHoweverManyGoByThem) {
  constexpr std::size_t size = std::size_t{32} << 20;
  data_->answer = [] { return graph_data({{"signatures/large", std::string(size, 'x')}}, "large"); };
  const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const std::size_t before = in_use();
  const auto first = builder();
  const auto built = first->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_LT(in_use(), before + size + size / 2);
  // As after a reload.
  const auto next = builder();
  next->restore(built->inputs, built->snapshot);
  EXPECT_LT(in_use(), before + size + size / 2);
}

TEST_F(BuilderTest, DoesNotStartFromGraphDataThatIsRefusedNow) {
  auto kept = std::make_shared<BuiltInputs>(*builder()->refresh({})->inputs);
  graphdata::Files files = *kept->files;
  files["version"] = "2.0.0\n";
  kept->files = std::make_shared<const graphdata::Files>(std::move(files));
  const auto maker = builder();
  maker->restore(kept);
  const auto built = maker->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->inputs->files->at("version"), graph_data().files.at("version"));
}

TEST_F(BuilderTest, StartsFromWhatWasKept) {
  const auto kept = builder()->refresh({})->inputs;
  releases_->answer = [] { return down(); };
  data_->answer = []() -> Result<sources::FetchedGraphData> { return down(); };
  const auto maker = builder();
  maker->restore(kept);
  const auto built = maker->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_FALSE(built->fresh);
  EXPECT_EQ(built->snapshot->architectures.at(0).releases.size(), 3U);
  EXPECT_EQ(built->inputs->revision, "g1");
}

TEST_F(BuilderTest, DoesNotTakeOneSourcesReleasesForAnothers) {
  const auto kept = builder()->refresh({})->inputs;
  releases_->name = "other.json";
  releases_->answer = [] { return down(); };
  const auto maker = builder();
  maker->restore(kept);
  EXPECT_FALSE(maker->refresh({}));
}

TEST_F(BuilderTest, TellsSourcesApartWhoseNamesLookAlike) {
  releases_->name = "https://up.example/graph?tenant=REDACTED";
  releases_->identity = "a";
  second_ = std::make_shared<FakeReleases::Script>();
  second_->name = releases_->name;
  second_->identity = "b";
  second_->answer = [] { return sources::FetchedReleases{.revision = "empty"}; };
  data_->identity = "c";
  const auto kept = builder()->refresh({})->inputs;
  const auto restored = unpack_inputs(pack_inputs(*kept)).value();
  // Each has its own again, in whichever order they are named.
  std::swap(releases_, second_);
  for (const auto& source : {releases_, second_}) source->answer = [] { return down(); };
  data_->answer = []() -> Result<sources::FetchedGraphData> { return down(); };
  auto maker = builder();
  maker->restore(restored);
  auto built = maker->refresh({});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(built->inputs->releases.at(0).releases.empty());
  EXPECT_EQ(built->inputs->releases.at(1).releases.size(), 3U);
  // And others have none.
  releases_->identity = "another";
  maker = builder();
  maker->restore(restored);
  EXPECT_FALSE(maker->refresh({}));
  releases_->identity = "b";
  data_->identity = "another";
  maker = builder();
  maker->restore(restored);
  EXPECT_FALSE(maker->refresh({})) << "graph data too";
}

TEST_F(BuilderTest, TakesWhatEarlierProgramsKeptByNamesThatLeaveNothingOut) {
  auto kept = *builder()->refresh({})->inputs;
  kept.releases.front().identity.clear();
  kept.graph_data_identity.clear();
  releases_->answer = [] { return down(); };
  data_->answer = []() -> Result<sources::FetchedGraphData> { return down(); };
  auto maker = builder();
  maker->restore(std::make_shared<const BuiltInputs>(kept));
  EXPECT_TRUE(maker->refresh({}));
  releases_->identity = "a digest";
  maker = builder();
  maker->restore(std::make_shared<const BuiltInputs>(kept));
  EXPECT_FALSE(maker->refresh({}));
}

TEST_F(BuilderTest, BuildsTheSameFromWhatWasKept) {
  const auto built = builder()->refresh({});
  const auto again = build_snapshot(*built->inputs, "graph-data", graph::not_understood_url);
  ASSERT_TRUE(again) << again.error().message;
  const auto text = [](const graph::Snapshot& snapshot) {
    return graph::to_cincinnati_json(snapshot.channel_graph("stable-4.7", "amd64"));
  };
  EXPECT_EQ(text(**again), text(*built->snapshot));
}

TEST_F(BuilderTest, DoesNotMakeGraphDataWaitForSlowReleases) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  std::latch asked(1);
  std::promise<void> answer;
  std::atomic<bool> changed = false;
  data_->answer = [&changed] { return changed ? graph_data({{"version", "1.1.0\n"}}, "g2") : graph_data(); };
  releases_->answer = [&] {
    asked.count_down();
    answer.get_future().wait();
    return small_releases("r2");
  };
  auto slow = std::async(std::launch::async, [&] { return maker->refresh({}); });
  asked.wait();
  changed = true;
  const auto quick = maker->refresh_graph_data({});
  ASSERT_TRUE(quick);
  EXPECT_EQ(quick->inputs->revision, "g2");
  answer.set_value();
  const auto both = slow.get();
  ASSERT_TRUE(both);
  EXPECT_EQ(both->inputs->revision, "g2") << "what was fetched later stays in force";
  EXPECT_GT(both->number, quick->number);
}

TEST_F(BuilderTest, GoesOnWithoutASourceThatHangsAndNamesItWhenItIsOverdue) {
  second_ = std::make_shared<FakeReleases::Script>();
  second_->name = "slow.json";
  second_->answer = [] { return small_releases("s1"); };
  // It is told of until it has ended.
  std::counting_semaphore<> late(0);
  const auto maker = builder();
  maker->on_late([&late] { late.release(); });
  ASSERT_TRUE(maker->refresh({}));

  std::promise<void> answer;
  second_->answer = [&] {
    answer.get_future().wait();
    return small_releases("s2");
  };
  releases_->answer = [] {
    auto fetched = small_releases("r2");
    fetched.releases.pop_back();
    return fetched;
  };
  data_->answer = [] { return graph_data({{"version", "1.1.0\n"}}, "g2"); };
  constexpr std::chrono::milliseconds moment{600};
  auto built = maker->refresh({}, {.source_timeout = moment});
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_FALSE(built->complete);
  EXPECT_TRUE(built->snapshot->problems.empty()) << "it may take its time";
  EXPECT_EQ(built->inputs->revision, "g2");
  EXPECT_EQ(built->inputs->releases.at(0).revision, "r2");

  built = maker->refresh({}, {.source_timeout = moment, .overdue = std::chrono::nanoseconds(0)});
  ASSERT_TRUE(built);
  EXPECT_FALSE(built->fresh);
  ASSERT_TRUE(has_problem(*built->snapshot, graph::problem_kind::source_unavailable));
  EXPECT_EQ(built->snapshot->problems.front().place.file, "slow.json");
  EXPECT_EQ(second_->asked, 2) << "it is not asked again while it is asked";
  EXPECT_EQ(maker->refresh({}, {.source_timeout = moment, .overdue = std::chrono::nanoseconds(0)})->snapshot,
            built->snapshot)
      << "the same again is nothing new";

  answer.set_value();
  late.acquire();
  built = maker->rebuild();
  ASSERT_TRUE(built);
  EXPECT_TRUE(built->complete);
  EXPECT_TRUE(built->fresh);
  EXPECT_EQ(built->inputs->releases.at(1).revision, "s2");
}

/// Source that answers when it is stopped.
class PatientReleases final : public sources::ReleaseSource {
 public:
  std::string name() const override { return "patient.json"; }
  Result<sources::FetchedReleases> fetch(const sources::FetchContext& context) override {
    std::promise<void> stopped;
    const std::stop_callback tell(context.stop, [&] { stopped.set_value(); });
    stopped.get_future().wait();
    return fail(ErrorCode::cancelled, "stopped");
  }
};

TEST_F(BuilderTest, StopsSourcesThatAnEarlierRefreshAsked) {
  std::vector<std::unique_ptr<sources::ReleaseSource>> sources;
  sources.push_back(std::make_unique<PatientReleases>());
  std::counting_semaphore<> late(0);
  Builder maker(std::move(sources), std::make_unique<FakeGraphData>(data_), graph::not_understood_url,
                Clock::system());
  // The graph data may be late, too.
  maker.on_late([&] { late.release(); });
  const std::stop_source first, second;
  EXPECT_FALSE(maker.refresh({.stop = first.get_token()}, {.source_timeout = std::chrono::milliseconds(1)}));
  EXPECT_FALSE(maker.refresh({.stop = second.get_token()}, {.source_timeout = std::chrono::milliseconds(1)}));
  maker.stop();
  late.acquire();
}

TEST_F(BuilderTest, SaysWhatItWaitsForAtTheFirstStart) {
  std::promise<void> answer;
  releases_->answer = [&] {
    answer.get_future().wait();
    return small_releases();
  };
  const auto maker = builder();
  const auto built = maker->refresh({}, {.source_timeout = std::chrono::milliseconds(1)});
  ASSERT_FALSE(built);
  EXPECT_TRUE(built.error().message.contains("releases.json: it was asked at")) << built.error().message;
  answer.set_value();
}

TEST_F(BuilderTest, TakesAFaultOfASourceForAFailure) {
  const auto maker = builder();
  ASSERT_TRUE(maker->refresh({}));
  releases_->answer = []() -> Result<sources::FetchedReleases> { throw std::bad_alloc(); };
  data_->answer = []() -> Result<sources::FetchedGraphData> { throw std::runtime_error("broken"); };
  const auto built = maker->refresh({});
  ASSERT_TRUE(built);
  EXPECT_EQ(built->snapshot->problems.size(), 2U);
}

TEST_F(BuilderTest, SaysThatItWasStopped) {
  std::stop_source stop;
  stop.request_stop();
  const auto built = builder()->refresh({.stop = stop.get_token()});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace fairway::updateservice
