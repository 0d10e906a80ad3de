// SPDX-License-Identifier: Apache-2.0

// The program under its other names: `oc`, and `kubectl-fairway`, which kubectl runs as `kubectl fairway`.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

constexpr const char* recorded =
    " --mock-clusterversion '" FAIRWAY_SOURCE_DIR "/tests/cli/data/clusterversion.yaml'";

/// Returns the output of the program under a name.
std::string output_as(const std::string& name, const std::string& words, int exit_code = 0) {
  const testing::TempDirectory folder;
  const auto program = folder / name, out = folder / "out";
  std::filesystem::create_symlink(FAIRWAY_BINARY, program);
  const std::string line = "'" + program.string() + "' " + words + " > '" + out.string() + "' 2>&1";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, exit_code) << name << " " << words;
  return read_file(out).value_or("");
}

TEST(AdmUpgradePlugin, IsAdmUpgrade) {
  const std::string shown = output_as("fairway", std::string("adm upgrade") + recorded);
  EXPECT_TRUE(shown.contains("Recommended updates:")) << shown;
  EXPECT_EQ(output_as("kubectl-fairway", recorded), shown);
  EXPECT_EQ(output_as("kubectl-fairway", std::string("adm upgrade") + recorded), shown);
  EXPECT_EQ(output_as("oc", std::string("adm upgrade") + recorded), shown);
  EXPECT_EQ(output_as("kubectl-fairway", std::string("why 4.6.42") + recorded),
            output_as("fairway", std::string("adm upgrade why 4.6.42") + recorded));
  // The help of the plugin names the plugin.
  std::string help = output_as("fairway", "adm upgrade --help");
  constexpr std::string_view here = "fairway adm upgrade", there = "kubectl fairway";
  for (auto at = help.find(here); at != help.npos; at = help.find(here, at))
    help.replace(at, here.size(), there);
  EXPECT_EQ(output_as("kubectl-fairway", "--help"), help);
}

TEST(AdmUpgradePlugin, HasTheOtherCommandsToo) {
  EXPECT_EQ(output_as("kubectl-fairway", "--version"), output_as("fairway", "--version"));
  EXPECT_TRUE(output_as("kubectl-fairway", "graph --help").contains("\nUsage: kubectl fairway graph "));
  EXPECT_TRUE(
      output_as("kubectl-fairway", "graph nothing", 2).contains("see kubectl fairway graph --help\n"));
}

TEST(AdmUpgradePlugin, TakesFlagsBeforeTheCommandAsTheCommands) {
  EXPECT_EQ(output_as("oc", std::string("adm upgrade -o json") + recorded + " why 4.6.42"),
            output_as("oc", std::string("adm upgrade why 4.6.42 -o json") + recorded));
  const std::string refused =
      output_as("oc", std::string("adm upgrade --to 4.6.42 why 4.6.42") + recorded, 1);
  EXPECT_TRUE(refused.starts_with("error: unknown flag: --to\n")) << refused;
}

TEST(AdmUpgradePlugin, TakesAnEmptyValueForOne) {
  EXPECT_EQ(output_as("oc", std::string("adm upgrade --to= --to-latest --dry-run") + recorded),
            output_as("oc", std::string("adm upgrade --to-latest --dry-run") + recorded));
  EXPECT_EQ(output_as("oc", std::string("adm upgrade --server=") + recorded),
            output_as("oc", std::string("adm upgrade") + recorded));
}

TEST(AdmUpgradePlugin, SaysAsGoWhatIsNoTruthValue) {
  for (const std::string value : {"maybe", "", "yes"}) {
    EXPECT_EQ(output_as("oc", "adm upgrade --to-latest=" + value + recorded, 1),
              "error: invalid argument \"" + value +
                  "\" for \"--to-latest\" flag: strconv.ParseBool: parsing \"" + value +
                  "\": invalid syntax\nSee 'oc adm upgrade -h' for help and examples\n");
  }
  EXPECT_EQ(output_as("oc", std::string("adm upgrade --to-latest=F") + recorded),
            output_as("oc", std::string("adm upgrade") + recorded));
  EXPECT_TRUE(output_as("oc", std::string("adm upgrade accept --replace=2 A") + recorded, 1)
                  .starts_with("error: invalid argument \"2\" for \"--replace\" flag: strconv.ParseBool"));
}

TEST(AdmUpgradePlugin, PaintsOnATerminalOnly) {
  const std::string plain =
      output_as("fairway", std::string("adm upgrade --include-not-recommended") + recorded);
  EXPECT_FALSE(plain.contains('\x1b')) << plain;
  const testing::TempDirectory folder;
  // util-linux's script gives the program a terminal, whose lines end in CR LF.
  const auto on_terminal = [&](const std::string& settings, const std::string& words) {
    folder.write("run", "#!/bin/sh\nexec '" FAIRWAY_BINARY "' adm upgrade " + words + recorded + "\n");
    const std::string line = "env -u NO_COLOR TERM=xterm " + settings + " script -qec 'sh " + folder.text() +
                             "/run' /dev/null < /dev/null > '" + folder.text() + "/out' 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0);
    std::string text = read_file(folder / "out").value_or("");
    std::erase(text, '\r');
    return text;
  };
  std::string coloured = on_terminal("", "--include-not-recommended");
  EXPECT_TRUE(coloured.contains("\x1b[1mRecommended updates:\x1b[0m\n")) << coloured;
  EXPECT_TRUE(coloured.contains("\x1b[33m  Recommended: False\x1b[0m\n")) << coloured;
  EXPECT_EQ(on_terminal("NO_COLOR=1", "--include-not-recommended"), plain);
  EXPECT_FALSE(on_terminal("", "-o json").contains('\x1b'));
}

}  // namespace
}  // namespace fairway
