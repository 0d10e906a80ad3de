// SPDX-License-Identifier: Apache-2.0

// Completion in the shells themselves: lines are typed at a terminal, with a Tab behind them.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "support/table.h"
#include "support/taken_port.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;
using testing::TempDirectory;

/// Returns whether a line of sh goes well.
bool goes_well(const std::string& line) {
  const int status = std::system(("{ " + line + "\n} >/dev/null 2>&1").c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_installed(const std::string& program) {
  return goes_well("command -v " + program);
}

/// A folder with the program under its names, its completion, and the home of a user who has nothing else.
class ShellsTest : public ::testing::Test {
 protected:
  ShellsTest() {
    fs::create_directories(folder_ / "bin");
    fs::create_symlink(FAIRWAY_BINARY, folder_ / "bin/fairway");
    fs::create_symlink("fairway", folder_ / "bin/kubectl-fairway");
    for (const std::string shell : {"bash", "zsh", "fish", "kubectl"})
      EXPECT_TRUE(
          goes_well("'" FAIRWAY_BINARY "' completion " + shell + " >'" + folder_.text() + "/" + shell + "'"));
  }

  /// Returns what a line of bash prints, at the project's root, without the settings of who runs the tests.
  std::string output_of(const std::string& line) const {
    folder_.write("line", "cd '" FAIRWAY_SOURCE_DIR "'\n" + line + "\n");
    const std::string start = "env -i HOME='" + folder_.text() + "' TERM=xterm LC_ALL=C.UTF-8 PATH='" +
                              folder_.text() + "/bin:'\"$PATH\" FOLDER='" + folder_.text() +
                              "' timeout 100 bash '" + folder_.text() + "/line' >'" + folder_.text() +
                              "/out' 2>&1";
    EXPECT_EQ(std::system(start.c_str()), 0) << line;
    return read_file(folder_ / "out").value_or("");
  }

  /// Types lines in a shell at a terminal, and Tab behind each. Control-T is a key of the shell's settings:
  /// it writes the line to the file `lines`, and clears it. Returns what the terminal shows.
  std::string type(const std::string& shell, const std::vector<std::string>& lines) const {
    std::string keys;
    for (const std::string& line : lines) keys += line + "\t\x14";
    folder_.write("keys", keys + "exit 0\n");
    folder_.write("lines", "");
    return output_of("script -qec 'stty cols 200 rows 50; exec " + shell + "' /dev/null <\"$FOLDER/keys\"");
  }

  /// Types the lines of the table, and compares what became of them.
  void expect_completed(const std::string& shell) const {
    const auto table = testing::read_table(FAIRWAY_SOURCE_DIR "/tests/cli/data/completed-lines.txt");
    std::vector<std::string> typed;
    for (const auto& row : table) typed.push_back(row.at(0));
    const std::string screen = type(shell, typed);
    const std::string text = read_file(folder_ / "lines").value_or("");
    auto lines = split(text, '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    ASSERT_EQ(lines.size(), table.size()) << screen;
    for (std::size_t i = 0; i < table.size(); ++i)
      EXPECT_EQ(trim(lines[i]), table[i].at(1)) << "line " << table[i].line << " of the table";
  }

  const TempDirectory folder_;
};

class BashTest : public ShellsTest {
 protected:
  void SetUp() override {
    if (!is_installed("bash")) GTEST_SKIP() << "bash is not installed";
    folder_.write("settings",
                  "write_line() { printf '%s\\n' \"$READLINE_LINE\" >>\"$FOLDER/lines\"; READLINE_LINE=; }\n"
                  "bind -x '\"\\C-t\": write_line'\n"
                  "bind 'set bell-style none'\n"
                  "source \"$FOLDER/bash\"\n");
  }
};

TEST_F(BashTest, CompletesLinesAsTheyAreTyped) {
  expect_completed("bash --noprofile --rcfile \"$FOLDER/settings\" -i");
}

class ZshTest : public ShellsTest {
 protected:
  void SetUp() override {
    if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed (Debian: apt-get install zsh)";
  }

  /// Writes the shell's settings; `load` loads the completion.
  void write_settings(const std::string& load) const {
    folder_.write(".zshrc",
                  "write_line() { print -r -- \"$BUFFER\" >>$FOLDER/lines; BUFFER= }\n"
                  "zle -N write_line\nbindkey '^T' write_line\nunset zle_bracketed_paste\n"
                  "unsetopt beep\nautoload -Uz compinit\n" +
                      load + "\n");
  }
};

TEST_F(ZshTest, CompletesLinesAsTheyAreTyped) {
  write_settings("compinit -u -D\nsource $FOLDER/zsh");
  expect_completed("zsh -d -i");
}

TEST_F(ZshTest, FindsTheFunctionInAFolder) {
  fs::create_directories(folder_ / "functions");
  fs::rename(folder_ / "zsh", folder_ / "functions/_fairway");
  write_settings("fpath=($FOLDER/functions $fpath)\ncompinit -u -D");
  expect_completed("zsh -d -i");
}

TEST_F(ZshTest, ShowsDescriptions) {
  write_settings("compinit -u -D\nsource $FOLDER/zsh");
  const std::string screen =
      type("zsh -d -i", {"fairway g", "fairway graph show --", "fairway graph show -o "});
  EXPECT_TRUE(screen.contains("-- Show, explain and compare update graphs without a server")) << screen;
  EXPECT_TRUE(screen.contains("-- Where releases come from (repeatable)")) << screen;
  EXPECT_TRUE(screen.contains("mermaid")) << screen;
}

class FishTest : public ShellsTest {
 protected:
  void SetUp() override {
    if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed (Debian: apt-get install fish)";
  }

  /// Returns the words, and the words about them, that fish offers at the end of a line.
  std::string offers(const std::string& line) const {
    folder_.write("typed", line);
    return output_of("fish --no-config -c 'source $FOLDER/fish; complete -C \"$(cat $FOLDER/typed)\"; true'");
  }
};

TEST_F(FishTest, OffersTheWordThatCompletesALine) {
  for (const auto& row : testing::read_table(FAIRWAY_SOURCE_DIR "/tests/cli/data/completed-lines.txt")) {
    const std::string typed = row.at(0), completed = row.at(1);
    const std::string wanted = typed == completed ? "" : completed.substr(completed.rfind(' ') + 1);
    const std::string offered = offers(typed);
    EXPECT_EQ(offered.substr(0, offered.find_first_of("\t\n")), wanted) << typed;
    EXPECT_LE(split(offered, '\n').size(), 2U) << typed << ": " << offered;
  }
}

TEST_F(FishTest, OffersDescriptions) {
  EXPECT_EQ(offers("fairway gra"), "graph\tShow, explain and compare update graphs without a server\n");
  EXPECT_TRUE(
      offers("fairway graph show --").contains("--releases\tWhere releases come from (repeatable)\n"));
  const std::string formats = offers("fairway graph show --output=");
  EXPECT_TRUE(formats.contains("--output=json\n")) << formats;
}

class KubectlTest : public ShellsTest {
 protected:
  void SetUp() override {
    fs::rename(folder_ / "kubectl", folder_ / "bin/kubectl_complete-fairway");
    fs::permissions(folder_ / "bin/kubectl_complete-fairway", fs::perms::owner_all);
  }
};

TEST_F(KubectlTest, FindsTheWordsOfThePlugin) {
  EXPECT_EQ(output_of("kubectl_complete-fairway graph ex"),
            "explain\tSay why an update is recommended, conditional or not there\n:4\n");
  EXPECT_EQ(output_of("kubectl_complete-fairway --to-l"), "--to-latest\tUpdate to the highest version\n:4\n");
  EXPECT_EQ(output_of("kubectl_complete-fairway lint ''"), ":16\n");
}

TEST_F(KubectlTest, IsAskedByKubectl) {
  if (!is_installed("kubectl")) GTEST_SKIP() << "kubectl is not installed";
  const std::string words = output_of("kubectl __complete fairway gra 2>/dev/null");
  EXPECT_EQ(words, "graph\tShow, explain and compare update graphs without a server\n:4\n");
  EXPECT_EQ(output_of("kubectl __completeNoDesc fairway why --mock-clusterversion "
                      "tests/cli/data/clusterversion.yaml 4.6 2>/dev/null"),
            "4.6.42\n:4\n");
}

TEST_F(ShellsTest, HaveScriptsThatTheirShellsCanRead) {
  EXPECT_EQ(output_of("bash -n \"$FOLDER/bash\" && sh -n \"$FOLDER/kubectl\""), "");
  if (is_installed("zsh")) {
    EXPECT_EQ(output_of("zsh -f -n \"$FOLDER/zsh\""), "");
  }
  if (is_installed("fish")) {
    EXPECT_EQ(output_of("fish --no-config -n \"$FOLDER/fish\""), "");
  }
}

TEST_F(ShellsTest, DoNotWaitForAClusterThatDoesNotAnswer) {
  // It takes connections, and reads nothing.
  const testing::TakenPort server;
  const std::string words =
      output_of("SECONDS=0; fairway completion candidates -- fairway adm upgrade --server http://127.0.0.1:" +
                std::to_string(server.port()) + " --to ''; ((SECONDS < 30)) || echo \"it took $SECONDS s\"");
  EXPECT_EQ(words, ":4\n");
}

}  // namespace
}  // namespace fairway
