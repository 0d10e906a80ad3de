// SPDX-License-Identifier: Apache-2.0

// Refreshes from graph data made to hang or kill the service, at random from a seed: the last good graph is
// served throughout, memory stays flat, and SIGTERM ends the process in time, in the middle of a refresh too.
// FAIRWAY_ROUNDS=1000 for the whole, FAIRWAY_SEED for another order.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <random>

#include "e2e/update_server.h"
#include "sources/git_bomb.h"
#include "support/generous.h"
#include "support/sanitized.h"
#include "support/setting.h"
#include "support/small_graph.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

using fairway::testing::setting;
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::UpdateServer;

constexpr seconds drain{5};
/// Limit on memory: far more than a small graph needs, far less than any of the bombs unpacks to.
[[maybe_unused]] constexpr long memory_mib = 400;

std::string number(std::size_t n) {
  return std::to_string(n);
}
/// Adds hostile files beside good graph data; none of them concerns the channel under test.
void put_into(const testing::TempDirectory& folder, std::size_t kind) {
  const auto many = [&](std::size_t count, const auto& text) {
    for (std::size_t i = 1; i <= count; ++i)
      folder.write("graph-data/blocked-edges/z" + number(i) + ".yaml",
                   "to: 9.9." + number(i) + "\n" + text(i));
  };
  const auto repeated = [](std::string text, const std::string& piece, std::size_t size) {
    while (text.size() < size) text += piece;
    return text;
  };
  const auto link = [&](const char* to, const std::string& at) {
    fs::create_directories((folder / at).parent_path());
    fs::create_directory_symlink(to, folder / at);
  };
  switch (kind) {
    case 0:
      return many(200, [](std::size_t) {
        return "from: .*\nextra:\n- &a [x,x,x,x,x,x,x,x,x,x]\n- &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n- &c "
               "[*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n- [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n";
      });
    case 1:
      return many(1'000,
                  [](std::size_t i) { return "from: '(" + number(i) + "[.](a|b|[0-9]|cd){0,90}){0,10}'\n"; });
    case 2: {
      std::string text = "to: 9.9.1\n";
      for (std::size_t i = 0; text.size() < 1'000'000; ++i) text += "---\nto: 9.9." + number(i) + "\n";
      folder.write("graph-data/blocked-edges/z.yaml", text);
      return;
    }
    case 3:
      folder.write("graph-data/blocked-edges/z.yaml", repeated("[\n{", "!,", 900'000));
      return;
    case 4:
      folder.write("graph-data/blocked-edges/z.yaml", repeated("to: 9.9.1\nx: [", "[],", 1'000'000) + "]\n");
      return;
    case 5:
      folder.write("graph-data/blocked-edges/z.yaml", repeated("to: 9.9.1\nx: ", "[", 1'000'000));
      return;
    case 6: {
      std::string text = "{\"9.9.1\":{";
      for (std::size_t i = 0; i < 100'000; ++i) text += (i > 0 ? ",\"k" : "\"k") + number(i) + "\":\"v\"";
      folder.write("graph-data/raw/metadata.json", text + "}}");
      return;
    }
    case 7:
      for (int i = 0; i < 20; ++i) link(".", "graph-data/signatures/l" + std::to_string(i));
      return;
    case 8:
      return link("/", "graph-data/signatures");
    case 9:
      mkfifo((folder / "graph-data/channels/z.yaml").c_str(), 0600);
      return;
    case 10: {
      std::string text =
          "to: 9.9.1\nfrom: .*\nurl: https://example.com\nname: N\nmessage: m\nmatchingRules:\n";
      folder.write("graph-data/blocked-edges/z.yaml", repeated(text, "- {type: Always}\n", 900'000));
      return;
    }
    default:
      folder.write("graph-data/signatures/large", std::string(std::size_t{70} << 20, 'x'));
  }
}
constexpr std::size_t kinds = 12;

void take_away(const testing::TempDirectory& folder) {
  fs::remove_all(folder / "graph-data/signatures");
  fs::remove_all(folder / "graph-data/raw");
  for (const char* name : {"graph-data/blocked-edges", "graph-data/channels"}) {
    for (const auto& entry : fs::directory_iterator(folder / name)) {
      if (entry.path().filename().string().starts_with('z')) fs::remove(entry.path());
    }
  }
}

class HostileRefreshes : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [path, text] : testing::small_graph_data()) folder_.write("graph-data/" + path, text);
    folder_.write("releases.json", testing::small_release_list());
  }

  /// Rounds of `spoil(random)`, a while in which the graph is checked, and `repair()`.
  void run(UpdateServer& server, int rounds, const std::function<void(std::mt19937_64&)>& spoil,
           const std::function<void()>& repair) {
    std::mt19937_64 random(static_cast<std::uint64_t>(setting("FAIRWAY_SEED", 1)));
    ASSERT_TRUE(server.start());
    const auto last = steady_clock::now() + testing::generous(seconds(20));
    std::string good;
    while (steady_clock::now() < last && !good.contains("4.7.4")) good = server.graph();
    ASSERT_TRUE(good.contains("4.7.4")) << good;
    milliseconds slowest_end{0}, slowest_answer{0};
    long peak = 0;
    int ends = 0, answers = 0;
    for (int round = 0; round < rounds && !HasFatalFailure(); ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      spoil(random);
      server.signal(SIGHUP);
      const auto until = steady_clock::now() + milliseconds(random() % 300);
      do {
        const auto asked = steady_clock::now();
        ASSERT_EQ(server.graph(), good);
        slowest_answer =
            std::max(slowest_answer, std::chrono::duration_cast<milliseconds>(steady_clock::now() - asked));
        ++answers;
      } while (steady_clock::now() < until);
      if (random() % 3 == 0) {
        ++ends;
        peak = std::max(peak, server.peak_mib());
        const milliseconds took = server.stop();
        slowest_end = std::max(slowest_end, took);
        ASSERT_LT(took, testing::generous(drain + seconds(1)));
        // What is there now is hostile; the last good graph is what there is.
        ASSERT_TRUE(server.start());
        ASSERT_EQ(server.graph(), good);
      }
      repair();
      ASSERT_TRUE(server.running());
    }
    peak = std::max(peak, server.peak_mib());
    slowest_end = std::max(slowest_end, server.stop());
    EXPECT_LT(slowest_end, testing::generous(drain + seconds(1)));
    if constexpr (!testing::is_sanitized) {
      EXPECT_LT(peak, memory_mib);
    }
    std::cout << "rounds " << rounds << ", answers " << answers << ", slowest " << slowest_answer.count()
              << " ms; ended " << ends + 1 << " times, slowest " << slowest_end.count() << " ms; peak memory "
              << peak << " MiB\n";
  }

  testing::TempDirectory folder_;
};

TEST_F(HostileRefreshes, OfAFolderLeaveTheLastGoodGraph) {
  UpdateServer server((folder_ / "graph-data").string(), folder_ / "releases.json", folder_ / "scratch",
                      drain);
  run(
      server, setting("FAIRWAY_ROUNDS", 20),
      [&](std::mt19937_64& random) { put_into(folder_, random() % kinds); }, [&] { take_away(folder_); });
}

TEST_F(HostileRefreshes, OfARepositoryLeaveTheLastGoodGraph) {
  const testing::GitRepository repository;
  repository.folder().write_all(testing::small_graph_data());
  std::vector<std::string> commits{repository.commit()};
  const auto hostile = [&](const std::string& path, const std::string& text) {
    repository.git("reset -q --hard " + commits.front());
    repository.folder().write(path, text);
    commits.push_back(repository.commit());
  };
  hostile("blocked-edges/z.yaml", "to: 9.9.1\nx: " + std::string(1'000'000, '['));
  hostile("blocked-edges/y.yaml", std::string((1 << 20) + 1, '#'));
  hostile("signatures/large", std::string(std::size_t{70} << 20, 'x'));
  repository.git("reset -q --hard " + commits.front());
  const testing::GitRepository other;
  other.folder().write_all(testing::small_graph_data());
  const sources::Bomb bomb = sources::delta_bomb(other, 300);
  repository.folder().write(".git/objects/pack/pack-bomb.pack", bomb.pack);
  repository.git("index-pack .git/objects/pack/pack-bomb.pack");
  commits.push_back(bomb.commit);

  const auto point_to = [&](const std::string& commit) {
    repository.folder().write("next-ref", commit + "\n");
    fs::rename(repository.folder() / "next-ref", repository.folder() / ".git/refs/heads/main");
  };
  UpdateServer server("git+file://" + repository.text() + "#main", folder_ / "releases.json",
                      folder_ / "scratch", drain);
  run(
      server, std::max(setting("FAIRWAY_ROUNDS", 20) / 4, 5),
      [&](std::mt19937_64& random) { point_to(commits[1 + random() % (commits.size() - 1)]); },
      [&] { point_to(commits.front()); });
}

}  // namespace
}  // namespace fairway
