// SPDX-License-Identifier: Apache-2.0

// SIGTERM while the service is at work on large data: it ends within --drain, at any moment.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "e2e/update_server.h"
#include "support/generous.h"
#include "support/sanitized.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

/// Drain limit that is longer than all the work takes: work that delays the end is detected by its results.
constexpr seconds drain{60};

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
  return found;
}

class Stop : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [path, text] : testing::small_graph_data()) folder_.write("graph-data/" + path, text);
    make_small();
  }
  void make_small() const { folder_.write("releases.json", testing::small_release_list()); }

  /// Each release may be updated to all after it, in each of some channels, and expressions of blocks are
  /// searched in the name of each.
  void make_large(int releases, int blocks, int channels) const {
    std::string list = testing::small_release_list();
    list.erase(list.rfind("\n]}"));
    std::string before, versions = "versions:\n";
    for (int i = 0; i < releases; ++i) {
      const std::string version = "4.8." + std::to_string(i);
      list +=
          ",\n"
          R"({"kind":"cincinnati-metadata-v0","version":")" +
          version + R"(","previous":[)" + before +
          R"(],"next":[],"metadata":{},"image":"registry.example/release@sha256:)" + std::string(60, '0') +
          std::to_string(1000 + i) + "\"}";
      before += (i == 0 ? "\"" : ",\"") + version + "\"";
      versions += "- " + version + "\n";
      if (i >= blocks) continue;
      folder_.write("graph-data/blocked-edges/z" + std::to_string(i) + ".yaml",
                    "to: " + version + "\nfrom: 4[.]8[.].*" + std::to_string(i) +
                        "[+]\nurl: https://example.com\nname: Slow\nmessage: m\n" +
                        "matchingRules:\n- type: Always\n");
    }
    for (int i = 0; i < channels; ++i) {
      const std::string name = "large" + std::to_string(i);
      folder_.write("graph-data/channels/" + name + ".yaml", "name: " + name + "\n" + versions);
    }
    folder_.write("releases.json", list + "\n]}");
  }

  /// Waits for the graph that does not change.
  void serves(const testing::UpdateServer& server) const {
    const auto last = steady_clock::now() + testing::generous(seconds(20));
    while (steady_clock::now() < last && !server.graph().contains("4.7.4"))
      std::this_thread::sleep_for(milliseconds(1));
    ASSERT_TRUE(server.graph().contains("4.7.4")) << server.log();
  }
  void ends_well(testing::UpdateServer& server) const {
    EXPECT_LT(server.stop(), testing::generous(drain + seconds(1)));
    EXPECT_TRUE(WIFEXITED(server.status()));
    EXPECT_EQ(WEXITSTATUS(server.status()), 0) << server.log();
    EXPECT_EQ(count(server.log(), "is given up"), 0U) << server.log();
  }

  testing::TempDirectory folder_;
  testing::UpdateServer server_{(folder_ / "graph-data").string(), folder_ / "releases.json",
                                folder_ / "scratch", drain};
};

TEST_F(Stop, EndsInTheMiddleOfALargeBuild) {
  int in_the_middle = 0;
  for (const int work_ms : {1, 50, 200, 400, 800, 1600}) {
    SCOPED_TRACE("after " + std::to_string(work_ms) + " ms of work");
    make_small();
    ASSERT_TRUE(server_.start());
    serves(server_);
    make_large(1'000, 900, 1);
    const std::size_t built = count(server_.log(), "built the graph anew");
    const milliseconds before = server_.busy();
    server_.signal(SIGHUP);
    const auto is_done = [&] { return count(server_.log(), "built the graph anew") > built; };
    while (server_.running() && server_.busy() < before + milliseconds(work_ms) && !is_done())
      std::this_thread::sleep_for(milliseconds(1));
    ends_well(server_);
    if (!is_done()) ++in_the_middle;
  }
  EXPECT_GT(in_the_middle, 0) << "each build was waited for";
}

// What was kept is built and rendered again first, and a reload waits for that.
TEST_F(Stop, IsNotHeldUpByAReload) {
  // Sanitized code takes ten times as long for each.
  make_large(300, 1, testing::is_sanitized ? 20 : 200);
  ASSERT_TRUE(server_.start());
  // The last of the files says that all are there.
  const auto last = steady_clock::now() + testing::generous(seconds(20));
  while (!std::filesystem::exists(folder_ / "scratch/data/last-good/last-good") && steady_clock::now() < last)
    std::this_thread::sleep_for(milliseconds(1));
  server_.stop();

  // The problems of what was rendered are logged when it is served.
  const std::string_view served = "no update into 4.8.0";
  const auto waits_for = [&](milliseconds work) {
    while (server_.running() && !server_.log().contains(served) && server_.busy() < work)
      std::this_thread::sleep_for(milliseconds(1));
  };
  ASSERT_TRUE(server_.start());
  waits_for(milliseconds::max());
  const milliseconds whole = server_.busy();
  server_.stop();
  int tried = 0, held_up = 0;
  for (const int percent : {40, 50, 60, 70, 80}) {
    ASSERT_TRUE(server_.start());
    waits_for(whole * percent / 100);
    const bool is_too_late = server_.log().contains(served);
    server_.signal(SIGHUP);
    server_.stop();
    if (is_too_late) continue;
    ++tried;
    const std::string log = server_.log();
    EXPECT_TRUE(log.contains("stopping")) << log;
    if (log.find(served) < log.find("stopping")) ++held_up;
  }
  if (tried < 3) GTEST_SKIP() << "this machine is too busy to see where the service is";
  // It may have been done in the moment before the signal.
  EXPECT_LE(held_up, 1) << "of " << tried;
}

}  // namespace
}  // namespace fairway
