// SPDX-License-Identifier: Apache-2.0

// The service over time: refreshes, failures, restarts, reloads, and its metrics.
#include "updateservice/service.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>
#include <thread>

#include "base/json.h"
#include "base/pattern.h"
#include "support/eventually.h"
#include "support/generous.h"
#include "support/temp_directory.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::RunningService;
using testing::TestReply;
using testing::World;

constexpr const char* stable = "/graph?channel=stable-4.7";

/// Asks until `good`, for at most 20 seconds; each request follows a reply, so that the result does not
/// depend on timing.
template <class Good>
TestReply ask_until(const RunningService& service, const std::string& path, Good good) {
  const auto limit = std::chrono::steady_clock::now() + seconds(20);
  TestReply reply = service.get(path);
  while (!good(reply) && std::chrono::steady_clock::now() < limit) reply = service.get(path);
  EXPECT_TRUE(good(reply)) << path << ": " << reply.status << " " << reply.body;
  return reply;
}

std::string value_of(const std::string& metrics, const std::string& series) {
  const std::size_t at = metrics.find("\n" + series + " ");
  if (at == std::string::npos) return "none";
  const std::size_t begin = at + series.size() + 2;
  return metrics.substr(begin, metrics.find('\n', begin) - begin);
}

TEST(Service, IsNotReadyBeforeTheFirstGoodBuildAndSaysWhy) {
  auto world = std::make_shared<World>();
  world->set_failing(true);
  RunningService service({}, world);
  service.after_refreshes(1);
  const TestReply ready = service.status("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_NE(ready.body.find("the releases are down"), std::string::npos) << ready.body;
  EXPECT_NE(ready.body.find("the graph data is down"), std::string::npos) << ready.body;
  EXPECT_EQ(service.status("/livez").status, 200);
  const TestReply graph = service.get(stable);
  EXPECT_EQ(graph.status, 503);
  EXPECT_NE(graph.header("Retry-After"), "");
  EXPECT_EQ(json::parse(graph.body).value().at("kind"), "not_ready");
  EXPECT_EQ(service.get("/explain?channel=stable-4.7&from=4.7.0&to=4.7.4").status, 503);
  EXPECT_EQ(service.get("/openapi").status, 200);
  // What is wrong with the request does not wait for a graph.
  EXPECT_EQ(service.get("/graph").status, 400);
  world->set_failing(false);
  ask_until(service, stable, [](const TestReply& reply) { return reply.status == 200; });
  EXPECT_EQ(service.status("/readyz").status, 200);
}

TEST(Service, IsNotReadyWhileTheFirstGraphDataIsRefused) {
  auto world = std::make_shared<World>();
  world->files["channels/broken\x1b[31m\nok.yaml"] = "name: [\n";
  RunningService service({}, world);
  service.after_refreshes(1);
  const TestReply ready = service.status("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_NE(ready.body.find("channels/broken\\x1b[31m\\nok.yaml"), std::string::npos) << ready.body;
  EXPECT_EQ(ready.body.find('\n'), ready.body.size() - 1) << ready.body;
  world->set_files({});
  ask_until(service, stable, [](const TestReply& reply) { return reply.status == 200; });
}

TEST(Service, ServesNewGraphDataSoonAfterTheChange) {
  RunningService service;
  service.after_refreshes(1);
  const TestReply before = service.get(stable);
  const auto start = std::chrono::steady_clock::now();
  service.world->set_files({{"blocked-edges/4.7.4-slow-disks.yaml", ""}});
  const TestReply after = ask_until(
      service, stable, [&](const TestReply& reply) { return reply.header("ETag") != before.header("ETag"); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, fairway::testing::generous(seconds(2)));
  const TestReply reply = service.get("/changes?channel=stable-4.7&since=" + before.header("ETag"));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json::Value changes = json::parse(reply.body).value();
  const json::Value& lifted = changes.at("changes").at("edges").at("riskLifted");
  ASSERT_EQ(lifted.as_array().size(), 1U) << reply.body;
  EXPECT_EQ(lifted.at(0).at("from"), "4.6.23");
  EXPECT_EQ(lifted.at(0).at("to"), "4.7.4");
}

TEST(Service, SaysThatEverythingWasRemovedWhereAChannelIsGone) {
  RunningService service;
  service.after_refreshes(1);
  const std::string etag = service.get(stable).header("ETag");
  service.world->set_files({{"channels/stable-4.7.yaml", ""}});
  ask_until(service, stable, [&](const TestReply& reply) { return reply.header("ETag") != etag; });
  const auto changes = [&] {
    const TestReply reply = service.get("/changes?channel=stable-4.7&since=" + etag);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).value().at("changes");
  };
  EXPECT_EQ(json::to_text(changes().at("nodes").at("removed")), R"(["4.6.23","4.7.0","4.7.4"])");
  EXPECT_EQ(changes().at("edges").at("removed").as_array().size(), 2U);
  service.world->set_files({});
  ask_until(service, stable, [&](const TestReply& reply) { return reply.header("ETag") == etag; });
  EXPECT_TRUE(changes().at("nodes").at("removed").as_array().empty());
}

TEST(Service, KeepsTheLastGoodGraphAndSaysHowOldItIs) {
  RunningService service({.reloadable = {.interval = milliseconds(20)}});
  service.after_refreshes(1);
  const TestReply good = service.get(stable);
  EXPECT_EQ(good.header("Fairway-Graph-Age"), "");
  service.world->set_failing(true);
  const TestReply old = ask_until(
      service, stable, [](const TestReply& reply) { return !reply.header("Fairway-Graph-Age").empty(); });
  EXPECT_EQ(old.body, good.body);
  EXPECT_EQ(old.header("ETag"), good.header("ETag"));
  EXPECT_EQ(value_of(service.status("/metrics").body, "fairway_graph_stale"), "1");
  EXPECT_EQ(service.status("/readyz").status, 200);
  service.world->set_failing(false);
  ask_until(service, stable,
            [](const TestReply& reply) { return reply.header("Fairway-Graph-Age").empty(); });
}

class Restart : public ::testing::Test {
 protected:
  ServiceOptions options() const { return {.data_directory = (directory / "data").string()}; }
  fairway::testing::TempDirectory directory;
  std::shared_ptr<World> world = std::make_shared<World>();
};

TEST_F(Restart, ServesTheLastGoodGraphAtOnceWhileEverythingIsDown) {
  TestReply before;
  {
    RunningService service(options(), world);
    service.after_refreshes(1);
    before = service.get(stable);
  }
  world->set_failing(true);
  const auto start = std::chrono::steady_clock::now();
  RunningService service(options(), world);
  const TestReply after = service.get(stable);
  EXPECT_LT(std::chrono::steady_clock::now() - start, fairway::testing::generous(milliseconds(500)));
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, before.body);
  EXPECT_EQ(after.header("ETag"), before.header("ETag"));
  EXPECT_NE(after.header("Fairway-Graph-Age"), "");
  EXPECT_EQ(service.status("/readyz").status, 200);
  // What is computed follows once the snapshot is there again.
  service.after_refreshes(1);
  EXPECT_EQ(service.get("/explain?channel=stable-4.7&from=4.7.0&to=4.7.4").status, 200);
  EXPECT_EQ(service.get("/channels").status, 200);
  EXPECT_NE(service.get("/problems").body.find("the releases could not be read again"), std::string::npos);
}

TEST_F(Restart, TellsThatAWideningIsHeldWhileEverythingIsDown) {
  ServiceOptions guarded = options();
  guarded.guards.widening = WideningLimit::parse("0,0%").value();
  const std::string held = "\nfairway_widening_held_blocks 1\n";
  {
    RunningService service(guarded, world);
    service.after_refreshes(1);
    EXPECT_FALSE(service.status("/metrics").body.contains(held));
    world->set_files({{"blocked-edges/4.7.4-slow-disks.yaml", ""}});
    service.after_refreshes(2);
    EXPECT_TRUE(service.status("/metrics").body.contains(held));
  }
  world->set_failing(true);
  RunningService service(guarded, world);
  service.after_refreshes(1);
  EXPECT_TRUE(service.status("/metrics").body.contains(held));
  EXPECT_TRUE(service.get("/problems").body.contains("widening-held"));
}

TEST_F(Restart, TellsChangesSinceABuildOfBefore) {
  std::string first, gone;
  {
    RunningService service(options(), world);
    service.after_refreshes(1);
    first = service.get(stable).header("ETag");
    gone = service.get("/graph?channel=candidate-4.7").header("ETag");
    world->set_files({{"channels/candidate-4.7.yaml", ""},
                      {"channels/stable-4.7.yaml", "name: stable-4.7\nversions: [4.6.23, 4.7.0]\n"}});
    ask_until(service, stable, [&](const TestReply& reply) { return reply.header("ETag") != first; });
  }
  RunningService service(options(), world);
  const auto changes = [&](const std::string& channel, const std::string& since) {
    const TestReply reply = service.get("/changes?channel=" + channel + "&since=" + since);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).value().at("changes");
  };
  // At once, and after the next build.
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(json::to_text(changes("stable-4.7", first).at("nodes").at("removed")), R"(["4.7.4"])");
    EXPECT_FALSE(changes("candidate-4.7", gone).at("nodes").at("removed").as_array().empty());
    service.after_refreshes(1);
  }
}

TEST_F(Restart, ServesWithoutEarlierBodiesWhereTheirFileIsBroken) {
  {
    RunningService(options(), world).after_refreshes(1);
  }
  directory.write("data/last-good/past", "fairway last good 2\nand then nothing good");
  world->set_failing(true);
  EXPECT_EQ(RunningService(options(), world).get(stable).status, 200);
}

TEST_F(Restart, BuildsFromStoredInputsWhereTheBodiesWereMadeForOtherSettings) {
  {
    RunningService(options(), world).after_refreshes(1);
  }
  world->set_failing(true);
  directory.write("descriptions.yaml", "stable-*: the stable one");
  ServiceOptions other = options();
  other.reloadable.channel_descriptions_file = (directory / "descriptions.yaml").string();
  RunningService service(other, world);
  service.after_refreshes(1);
  EXPECT_EQ(service.get("/channels").body,
            R"({"channels":{"candidate-4.7":{},"stable-4.7":{"description":"the stable one"}}})");
}

TEST_F(Restart, StartsWithoutWhatIsBrokenOnDisk) {
  {
    RunningService(options(), world).after_refreshes(1);
  }
  directory.write("data/last-good/published", "fairway last good 2\nand then nothing good");
  directory.write("data/last-good/inputs", "");
  RunningService service(options(), world);
  service.after_refreshes(1);
  EXPECT_EQ(service.get(stable).status, 200);
}

TEST_F(Restart, DoesNotTakeDataThatCannotBeKeptForAReasonToStop) {
  directory.write("data", "a file where the folder should be");
  RunningService service(options(), world);
  service.after_refreshes(1);
  EXPECT_EQ(service.get(stable).status, 200);
}

/// A folder on a file system with little room; skips the test if it cannot be mounted.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool is_mounted() const { return mounted_; }
  /// Fills the remaining room.
  void fill() const {
    std::ofstream file(path_ + "/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (file << block && file.flush()) continue;
  }
  void free() const { std::filesystem::remove(path_ + "/filler"); }

 private:
  const std::string path_;
  bool mounted_ = false;
};

TEST_F(Restart, GoesOnWhereTheVolumeIsFullAndSaysSo) {
  const SmallDisk disk((directory / "data").string());
  if (!disk.is_mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  ServiceOptions with_guard = options();
  with_guard.guards = {.widening = WideningLimit::parse("0,0%").value(),
                       .data_directory = with_guard.data_directory};
  const std::string_view failed = "\nfairway_store_writes_total{result=\"failed\"}";
  {
    RunningService service(with_guard, world);
    service.after_refreshes(1);
    EXPECT_TRUE(fairway::testing::eventually(
        [&] { return std::filesystem::exists(directory / "data/last-good/inputs"); }));
    disk.fill();
    // What is new is served all the same, and it is told that it is not kept.
    world->set_files({{"channels/fast-4.7.yaml", "name: fast-4.7\nversions: [4.7.0]\n"}});
    ask_until(service, "/channels", [](const TestReply& reply) { return reply.body.contains("fast-4.7"); });
    ask_until(service, "/problems",
              [](const TestReply& reply) { return reply.body.contains("graph-not-kept"); });
    EXPECT_EQ(service.status("/readyz").status, 200);
    EXPECT_TRUE(service.status("/metrics").body.contains(failed));
    EXPECT_TRUE(service.status("/metrics").body.contains("\nfairway_graph_kept 0\n"));
  }
  {
    // A restart has the graph of before, whole, and holds what that one closes.
    world->set_files({{"blocked-edges/4.7.0.yaml", ""}});
    RunningService service(with_guard, world);
    service.after_refreshes(1);
    EXPECT_EQ(service.get(stable).status, 200);
    EXPECT_TRUE(service.get("/problems").body.contains("widening-held"));
    ask_until(service, "/problems",
              [](const TestReply& reply) { return reply.body.contains("graph-not-kept"); });
    disk.free();
    world->set_files({{"channels/slow-4.7.yaml", "name: slow-4.7\nversions: [4.7.0]\n"}});
    ask_until(service, "/channels", [](const TestReply& reply) { return reply.body.contains("slow-4.7"); });
    ask_until(service, "/problems",
              [](const TestReply& reply) { return !reply.body.contains("graph-not-kept"); });
    EXPECT_TRUE(service.status("/metrics").body.contains("\nfairway_graph_kept 1\n"));
  }
  world->set_failing(true);
  RunningService service(with_guard, world);
  EXPECT_TRUE(service.get("/channels").body.contains("slow-4.7")) << "kept once there was room";
}

TEST(Service, ReloadsDescriptionsAndSources) {
  const fairway::testing::TempDirectory directory;
  directory.write("descriptions.yaml", "stable-*: one");
  RunningService service(
      {.reloadable = {.channel_descriptions_file = (directory / "descriptions.yaml").string()}});
  service.after_refreshes(1);
  directory.write("descriptions.yaml", "stable-*: two");
  service.service->reload();
  EXPECT_EQ(service.get("/channels").body,
            R"({"channels":{"candidate-4.7":{},"stable-4.7":{"description":"two"}}})");
  directory.write("descriptions.yaml", "- broken");
  service.service->reload();
  EXPECT_NE(service.get("/channels").body.find("two"), std::string::npos);
  // The new sources are watched as the old ones were.
  service.after_refreshes(2);
  service.world->set_files({{"channels/fast-4.7.yaml", "name: fast-4.7\nversions: [4.7.0]\n"}});
  ask_until(service, "/channels",
            [](const TestReply& reply) { return reply.body.find("fast-4.7") != std::string::npos; });
}

TEST(Service, GoesOnWhileASourceHangsAndAReloadReachesIt) {
  RunningService service({.reloadable = {.interval = milliseconds(50)}});
  service.after_refreshes(1);
  service.world->releases_hang = true;
  const auto named = [](const TestReply& reply) { return reply.body.contains("has not answered"); };
  ask_until(service, "/problems", named);
  service.world->set_files({{"channels/fast-4.7.yaml", "name: fast-4.7\nversions: [4.7.0]\n"}});
  ask_until(service, "/channels", [](const TestReply& reply) { return reply.body.contains("fast-4.7"); });
  service.world->releases_hang = false;
  service.service->reload();
  ask_until(service, "/problems", [&](const TestReply& reply) { return !named(reply); });
}

/// Counts concurrent readers of graph data. Each reader stays until it is stopped, and for a moment more in
/// which another one may come.
class Readers {
 public:
  explicit Readers(World& world) {
    world.while_reading = [this](const std::stop_token& stop) { read(stop); };
  }
  /// Makes readers stay from now on.
  void stay() { stay_ = true; }
  void leave() { stay_ = false; }
  int now() const { return now_; }
  int most() const { return most_; }

 private:
  void read(const std::stop_token& stop) {
    const bool stays = stay_;
    int known = most_;
    for (const int here = ++now_; known < here && !most_.compare_exchange_weak(known, here);) {
    }
    if (stays) {
      testing::hang(stop);
      for (int i = 0; i < 100 && now_ < 2; ++i) std::this_thread::sleep_for(milliseconds(2));
    }
    --now_;
  }
  std::atomic<bool> stay_ = false;
  std::atomic<int> now_ = 0, most_ = 0;
};

TEST(Service, AReplacedBuilderReadsNoMoreOnceTheNextOneReads) {
  auto world = std::make_shared<World>();
  Readers readers(*world);
  RunningService service({}, world);
  service.after_refreshes(1);
  for (int i = 0; i < 3; ++i) {
    readers.stay();
    world->set_files({{"channels/fast.yaml", "name: fast-" + std::to_string(i) + "\nversions: [4.7.0]\n"}});
    ASSERT_TRUE(fairway::testing::eventually([&] { return readers.now() > 0; }));
    readers.leave();
    service.service->reload();
    ask_until(service, "/channels",
              [&](const TestReply& reply) { return reply.body.contains("fast-" + std::to_string(i)); });
  }
  EXPECT_EQ(readers.most(), 1);
  EXPECT_TRUE(fairway::testing::eventually([&] { return world->sources == 1; })) << "what is replaced goes";
}

TEST(Service, AReloadGoesOnWithoutASourceThatDoesNotEnd) {
  auto world = std::make_shared<World>();
  std::atomic<bool> stuck = false, entered = false;
  std::promise<void> end;
  const auto ended = end.get_future().share();
  world->while_reading = [&](const std::stop_token&) {
    if (!stuck.exchange(false)) return;
    entered = true;
    ended.wait();
  };
  FakeClock clock;
  RunningService service({}, world, clock);
  service.after_refreshes(1);
  stuck = true;
  world->set_files({{"channels/fast.yaml", "name: fast\nversions: [4.7.0]\n"}});
  const auto until = [&](const auto& holds) {
    return fairway::testing::eventually([&] {
      clock.advance(seconds(1));
      return holds();
    });
  };
  ASSERT_TRUE(until([&] { return entered.load(); }));
  service.service->reload();
  EXPECT_TRUE(until([&] { return service.get("/channels").body.contains("fast"); }));
  EXPECT_EQ(world->sources, 2);
  end.set_value();
  EXPECT_TRUE(until([&] { return world->sources == 1; }));
}

TEST(Service, AnEntryThatIsAcceptedIsNoAnswerOfTheSources) {
  const fairway::testing::TempDirectory directory;
  ServiceOptions options;
  options.data_directory = directory.text();
  options.guards = {.widening = WideningLimit::parse("0,0%").value(), .data_directory = directory.text()};
  RunningService service(options);
  service.after_refreshes(1);
  const auto last_good = [&] {
    return value_of(service.status("/metrics").body, "fairway_graph_last_good_timestamp_seconds");
  };
  const std::string before = last_good();
  EXPECT_NE(before, "none");
  ASSERT_TRUE(accept(directory.text(), "00000000000000000000000000000000"));
  service.after_refreshes(2);
  EXPECT_EQ(last_good(), before);
  EXPECT_EQ(value_of(service.status("/metrics").body, "cincinnati_gb_graph_upstream_scrapes_total"), "1");
}

TEST(Service, TakesWhatIsAcceptedAtOnce) {
  const fairway::testing::TempDirectory directory;
  ServiceOptions options;
  options.data_directory = directory.text();
  options.guards = {.widening = WideningLimit::parse("0,0%").value(), .data_directory = directory.text()};
  RunningService service(options);
  service.after_refreshes(1);
  service.world->set_files({{"blocked-edges/4.7.0.yaml", ""}});
  ask_until(service, "/problems",
            [](const TestReply& reply) { return reply.body.contains("widening-held"); });
  EXPECT_TRUE(service.status("/metrics").body.contains("fairway_widening_held_blocks 1"));
  EXPECT_FALSE(service.get("/problems").body.contains("fairway graph accept")) << "that is for operators";
  const auto before = testing::small_build(), now = testing::small_build({{"blocked-edges/4.7.0.yaml", ""}});
  ASSERT_TRUE(accept(directory.text(), graph::find_widening(*before.snapshot, *now.snapshot)->id));
  ask_until(service, "/problems",
            [](const TestReply& reply) { return !reply.body.contains("widening-held"); });
}

TEST(Service, FailsNoRequestWhileItBuildsAgainAndAgain) {
  RunningService service;
  service.after_refreshes(1);
  std::atomic<bool> done{false};
  std::atomic<int> asked{0}, wrong{0};
  std::jthread asking([&] {
    while (!done) {
      const TestReply reply = service.get(stable);
      ++asked;
      if (reply.status != 200 || !json::parse(reply.body)) ++wrong;
    }
  });
  for (int i = 0; i < 20; ++i) {
    const std::string name = "fast-" + std::to_string(i);
    service.world->set_files({{"channels/fast.yaml", "name: " + name + "\nversions: [4.7.0]\n"}});
    ask_until(service, "/channels",
              [&](const TestReply& reply) { return reply.body.find(name) != std::string::npos; });
  }
  done = true;
  asking.join();
  EXPECT_GT(asked, 20);
  EXPECT_EQ(wrong, 0);
}

TEST(Service, IsNotReadyWhileItStops) {
  RunningService service;
  service.after_refreshes(1);
  service.service->stop();
  const TestReply ready = service.status("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_NE(ready.body.find("stopping"), std::string::npos);
}

TEST(Service, SaysWhichPortIsTaken) {
  const RunningService first;
  auto second = Service::start(
      {.server = {.listen = first.service->address()}, .status_listen = "127.0.0.1:0"},
      []() -> Result<std::unique_ptr<Builder>> {
        return std::make_unique<Builder>(
            std::vector<std::unique_ptr<sources::ReleaseSource>>{},
            std::make_unique<testing::FakeGraphDataSource>(std::make_shared<World>()), "", Clock::system());
      });
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(first.service->address()), std::string::npos)
      << second.error().message;
}

std::set<std::string> names_in(const std::string& text, std::string_view pattern_of_lines) {
  std::set<std::string> names;
  const Pattern pattern = Pattern::compile(pattern_of_lines).value();
  for (const std::string_view line : split(text, '\n')) {
    if (!pattern.search(line)) continue;
    std::size_t begin = line.find("fairway_");
    begin = std::min(begin, line.find("cincinnati_"));
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
    names.emplace(line.substr(begin, end - begin));
  }
  return names;
}

TEST(Metrics, AreTheOnesThatTheDocumentationLists) {
  RunningService service;
  service.after_refreshes(1);
  service.get(stable);
  std::ifstream file(std::string(FAIRWAY_SOURCE_DIR) + "/docs/metrics.md");
  const std::string documentation{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(names_in(service.status("/metrics").body, "^# TYPE "),
            names_in(documentation, R"(^\| `(fairway|cincinnati)_)"));
}

TEST(Metrics, CountRequestsByEndpointAndNothingThatClientsMakeUp) {
  RunningService service;
  service.after_refreshes(1);
  for (int i = 0; i < 3; ++i) service.get(stable);
  service.get("/graph");
  service.get("/made-up/path?channel=made-up-channel&arch=madeup");
  service.get("/graph?channel=made-up-channel&arch=madeup");
  const std::string metrics = service.status("/metrics").body;
  EXPECT_EQ(value_of(metrics, R"(fairway_http_requests_total{code="200",endpoint="graph"})"), "4") << metrics;
  EXPECT_EQ(value_of(metrics, R"(fairway_http_requests_total{code="400",endpoint="graph"})"), "1");
  EXPECT_EQ(value_of(metrics, R"(fairway_http_overloaded{limit="replies"})"), "0");
  EXPECT_EQ(value_of(metrics,
                     R"(cincinnati_pe_graph_incoming_requests_total{uri_path="/api/upgrades_info/graph"})"),
            "5");
  EXPECT_EQ(
      value_of(metrics, R"(cincinnati_pe_graph_response_errors_total{code="400",kind="missing_params"})"),
      "1");
  EXPECT_EQ(metrics.find("made"), std::string::npos);
}

}  // namespace
}  // namespace fairway::updateservice
