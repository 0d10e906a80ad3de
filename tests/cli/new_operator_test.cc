// SPDX-License-Identifier: Apache-2.0

// `fairway new operator`: what it writes is whole and formatted, is read by an API server and by a compiler;
// and what it refuses leaves nothing behind.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/crd_paths/tables.h"
#include "support/is_ok.h"
#include "support/table.h"
#include "support/temp_directory.h"
#include "webhook/crd_registration.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;
using testing::TempDirectory;

constexpr const char* good = "--group queues.example.com --kind Queue --versions v1alpha1,v1";

struct Ended {
  int exit_code = 0;
  std::string output;  ///< with standard error
};

/// Runs a command of a shell in a folder, with the program just built as `fairway`.
Ended run_in(const fs::path& folder, const std::string& command) {
  const std::string binary = fs::path(FAIRWAY_BINARY).parent_path().string();
  FILE* pipe = popen(
      ("exec 2>&1; cd '" + folder.string() + "' && PATH='" + binary + "':$PATH; " + command).c_str(), "r");
  Ended ended;
  std::array<char, 4096> buffer{};
  std::size_t got = 0;
  while ((got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0)
    ended.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), folder).string());
  }
  return files;
}

/// The command lines whose projects are looked at: one version, two, more, and names that C++, macros, or
/// Fairway's own classes have.
class NewOperatorProject : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Ended made =
        run_in(folder_.path(), "fairway new operator " + std::string(GetParam()) + " --dir project");
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }
  fs::path project() const { return folder_ / "project"; }
  std::string read(const std::string& file) const { return read_file(project() / file).value(); }

  TempDirectory folder_;
};

INSTANTIATE_TEST_SUITE_P(
    Names, NewOperatorProject,
    ::testing::Values(
        "boxes --group shop.example.com --kind Box --versions v1",
        "queues --group queues.example.com --kind Queue --versions v1alpha1,v1",
        "ice-cream-machines --group machines.kitchen.example.com --kind IceCreamMachine "
        "--versions v1alpha1,v1beta1,v1",
        "class --group namespace.example.com --kind Namespace --plural own-namespaces --versions v1,v2alpha1",
        "operator --group operator.example.com --kind EOF --plural eof --versions v1beta1,v1",
        "std --group std.example.com --kind Checked --versions v1beta1,v1beta2,v1",
        "a-long-name-for-an-operator --group machines.kitchen-appliances.example.com "
        "--kind IndustrialIceCreamMachineOrder --versions v1alpha1,v1alpha2,v1beta1,v1"),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

TEST_P(NewOperatorProject, LeavesNothingOfItsTemplates) {
  for (const std::string& file : files_in(project())) {
    const std::string text = read(file);
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_EQ(text.find("%{"), std::string::npos) << file;
    for (const std::string_view line : split(text, '\n')) {
      EXPECT_FALSE(line.starts_with('%')) << file << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << file << ": " << line;
    }
    EXPECT_TRUE(text.ends_with('\n') && !text.ends_with("\n\n")) << file;
  }
}

TEST_P(NewOperatorProject, NamesEachSourceInItsBuild) {
  const std::string build = read("CMakeLists.txt");
  for (const std::string& file : files_in(project())) {
    const bool compiled =
        file.ends_with(".cc") || file.ends_with("crd.yaml") || file.ends_with("conversions.yaml");
    EXPECT_TRUE(!compiled || build.find(file) != std::string::npos) << file;
  }
}

TEST_P(NewOperatorProject, DefinesAKindThatIsStoredInItsNewestVersion) {
  const auto definitions = webhook::read_definitions(read("crd.yaml"), "crd.yaml");
  ASSERT_OK(definitions);
  const std::string given = GetParam();
  const std::size_t begin = given.find("--versions ") + 11;
  const std::vector<std::string_view> versions = split(trim(std::string_view(given).substr(begin)), ',');
  EXPECT_EQ(definitions->front().storage_version(), versions.back());
  EXPECT_EQ(definitions->front().versions().size(), versions.size());
}

TEST_P(NewOperatorProject, IsTakenByAnApiServer) {
  const Ended served = run_in(project(),
                              "fairway apiserver --memory --listen 127.0.0.1:0 --apply crd.yaml "
                              "--apply deploy/namespace.yaml --apply deploy/rbac.yaml "
                              "--apply deploy/deployment.yaml --apply samples/*.yaml -- true");
  EXPECT_EQ(served.exit_code, 0) << served.output;
}

TEST_P(NewOperatorProject, IsFormatted) {
  if (run_in(project(), "command -v clang-format-19").exit_code != 0)
    GTEST_SKIP() << "there is no clang-format-19";
  const Ended formatted = run_in(project(), "clang-format-19 --dry-run -Werror src/* tests/*.cc");
  EXPECT_EQ(formatted.exit_code, 0) << formatted.output;
}

/// Projects of which each has something else to compile.
class NewOperatorCode : public NewOperatorProject {};

INSTANTIATE_TEST_SUITE_P(
    Names, NewOperatorCode,
    ::testing::Values(
        "boxes --group shop.example.com --kind Box --versions v1",
        "class --group namespace.example.com --kind Namespace --plural own-namespaces --versions v1,v2alpha1",
        "operator --group operator.example.com --kind EOF --versions v1alpha1,v1beta1,v1",
        "std --group std.example.com --kind Checked --versions v1beta1,v1"),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

TEST_P(NewOperatorCode, CompilesWithoutWarnings) {
  if (run_in(project(), "command -v g++").exit_code != 0) GTEST_SKIP() << "there is no g++";
  // All sources as one, for time, with the headers that fairway_embed and fairway_crd_paths make.
  std::string all = "#define OPERATOR_RELEASE \"0.1.0\"\n";
  for (const std::string& file : files_in(project())) {
    if (file.ends_with(".cc")) all += "#include \"../" + file + "\"\n";
    if (!file.ends_with(".yaml")) continue;
    const fs::path name = fs::path(file).filename();
    folder_.write(fs::path("project/embedded") / (name.string() + ".h"),
                  "#pragma once\ninline constexpr const char* " + name.stem().string() + "_yaml = \"\";\n");
  }
  const auto tables = cli::definition_tables(read("crd.yaml"), "crd.yaml");
  ASSERT_OK(tables);
  folder_.write("project/embedded/crd.paths.h", *tables);
  folder_.write("project/embedded/all.cc", all);
  // The headers as they are installed: <fairway/MODULE/...>.
  fs::create_directories(project() / "installed");
  fs::create_directory_symlink(FAIRWAY_SOURCE_DIR "/src", project() / "installed/fairway");
  const Ended compiled =
      run_in(project(),
             "g++ -std=c++23 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Werror -I src "
             "-I embedded -isystem installed -isystem '" FAIRWAY_SOURCE_DIR "/src' embedded/all.cc");
  EXPECT_EQ(compiled.exit_code, 0) << compiled.output;
}

TEST(NewOperator, SaysWhatIsWrongAndWritesNothing) {
  for (const auto& row :
       testing::read_table(FAIRWAY_SOURCE_DIR "/tests/cli/data/new-operator-refusals.txt")) {
    const TempDirectory folder;
    std::string command =
        "fairway new operator " + (row.at(0).empty() ? "queues" : row.at(0)) + " " + row.at(1);
    for (const auto& [flag, value] : {std::pair{"--group ", "queues.example.com"},
                                      {"--kind ", "Queue"},
                                      {"--versions ", "v1alpha1,v1"}}) {
      if (!command.contains(flag)) command += std::string(" ") + flag + value;
    }
    const Ended refused = run_in(folder.path(), command);
    const std::string where = "line " + std::to_string(row.line) + ": " + command + "\n" + refused.output;
    EXPECT_EQ(refused.exit_code, 2) << where;
    EXPECT_TRUE(refused.output.starts_with("error: checking ")) << where;
    std::string says = row.at(2);
    if (constexpr std::string_view end = "[end]"; says.ends_with(end))
      says.replace(says.size() - end.size(), end.size(), "\n");
    EXPECT_NE(refused.output.find(says), std::string::npos) << where;
    EXPECT_EQ(std::ranges::count(refused.output, '\n'), 1) << where;
    EXPECT_TRUE(fs::is_empty(folder.path())) << where;
  }
}

TEST(NewOperator, SaysAllThatIsWrongAtOnce) {
  const TempDirectory folder;
  const Ended refused = run_in(folder.path(), "fairway new operator Q --group q --kind q --versions q");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(std::ranges::count(refused.output, '\n'), 4) << refused.output;
}

TEST(NewOperator, RefusesAFolderThatHasSomething) {
  const TempDirectory folder;
  folder.write("full/b", "mine");
  folder.write("full/a", "mine, too");
  folder.write("file", "no folder");
  for (const auto& [target, says] : {std::pair{"full",
                                               "making a project in full: the folder is not empty: it has a; "
                                               "give a new or an empty one by --dir"},
                                     {"file", "making a project in file: it is no folder"},
                                     {"file/below", "error: "}}) {
    for (const char* more : {"", " --dry-run"}) {
      const Ended refused = run_in(
          folder.path(), "fairway new operator queues " + std::string(good) + " --dir " + target + more);
      EXPECT_EQ(refused.exit_code, 1) << refused.output;
      EXPECT_NE(refused.output.find(says), std::string::npos) << refused.output;
    }
  }
  EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"full/a", "full/b", "file"}));
}

TEST(NewOperator, WritesIntoAnEmptyFolderAndIntoNewOnes) {
  for (const char* target : {".", "empty", "new/and/below", "with a blank"}) {
    const TempDirectory folder;
    if (std::string_view(target) == "empty") fs::create_directory(folder / target);
    const Ended made =
        run_in(folder.path(), "fairway new operator queues " + std::string(good) + " --dir '" + target + "'");
    EXPECT_EQ(made.exit_code, 0) << made.output;
    EXPECT_TRUE(fs::exists(folder.path() / target / "src/main.cc"));
  }
}

TEST(NewOperator, RemovesWhatItWroteWhereAFileCannotBeWritten) {
  const TempDirectory folder;
  // A file may have 1 KiB: the first ones fit.
  const Ended refused = run_in(folder.path(), "trap '' XFSZ; ulimit -f 1; fairway new operator queues " +
                                                  std::string(good) + " | cat");
  EXPECT_NE(refused.output.find("nothing of the project is left"), std::string::npos) << refused.output;
  EXPECT_TRUE(fs::is_empty(folder.path())) << ::testing::PrintToString(files_in(folder.path()));
}

TEST(NewOperator, ListsInADryRunWhatItWouldWrite) {
  const TempDirectory folder;
  const std::string command = "fairway new operator queues " + std::string(good);
  const Ended listed = run_in(folder.path(), command + " --dry-run");
  EXPECT_EQ(listed.exit_code, 0) << listed.output;
  EXPECT_TRUE(fs::is_empty(folder.path()));
  const Ended made = run_in(folder.path(), command);
  EXPECT_EQ(made.exit_code, 0) << made.output;
  std::set<std::string> names;
  for (const std::string_view line : split(listed.output, '\n')) {
    if (line.starts_with("  ")) names.emplace(line.substr(2, line.find(" (") - 2));
  }
  EXPECT_EQ(names, files_in(folder / "queues"));
  EXPECT_NE(made.output.find("\n  cd queues\n"), std::string::npos) << made.output;
}

TEST(NewOperator, DerivesThePluralByItsRules) {
  for (const auto& [kind, plural] : {std::pair{"Queue", "queues"},
                                     {"Box", "boxes"},
                                     {"Class", "classes"},
                                     {"Branch", "branches"},
                                     {"Policy", "policies"},
                                     {"Gateway", "gateways"},
                                     {"DNS", "dnses"}}) {
    const TempDirectory folder;
    const Ended made =
        run_in(folder.path(),
               "fairway new operator some --group example.com --versions v1 --kind " + std::string(kind));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    const std::string definition = read_file(folder / "some/crd.yaml").value_or("");
    EXPECT_TRUE(definition.contains("    plural: " + std::string(plural) + "\n")) << kind;
  }
}

TEST(NewOperator, IsChangedByTheStepsOfItsTutorial) {
  const std::string page = read_file(FAIRWAY_SOURCE_DIR "/docs/new-operator.md").value();
  const TempDirectory folder;
  const Ended made = run_in(folder.path(), "fairway new operator queues " + std::string(good));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  // The branch that the tutorial makes, and Debian's git of itself, is one whose pushes are tested.
  const std::string ci = read_file(folder / "queues/.github/workflows/ci.yaml").value_or("");
  EXPECT_TRUE(ci.contains("branches: [main, master]\n")) << ci;
  EXPECT_TRUE(page.contains("\ngit init -q -b main && "));
  constexpr std::string_view begin = "git apply <<'END'\n", end = "\nEND\n";
  int steps = 0;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1), ++steps) {
    const std::size_t from = at + begin.size(), to = page.find(end, from);
    ASSERT_NE(to, std::string::npos);
    folder.write("step.diff", page.substr(from, to + 1 - from));
    const Ended applied = run_in(folder / "queues", "git apply --verbose ../step.diff");
    EXPECT_EQ(applied.exit_code, 0) << applied.output;
  }
  EXPECT_GE(steps, 3);
}

}  // namespace
}  // namespace fairway
