// SPDX-License-Identifier: Apache-2.0

// The manual: it has all commands and flags, and what shows manuals takes it without a complaint.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  /// Standard output and standard error.
  std::string output;
};

Outcome run(const std::string& line) {
  const testing::TempDirectory folder;
  const std::string file = folder.text() + "/out";
  const int status = std::system(("{ " + line + "\n} >'" + file + "' 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(file).value_or("")};
}

/// The program, without the variables that it reads for the manual.
const std::string program = "env -u SOURCE_DATE_EPOCH '" FAIRWAY_BINARY "' ";

/// Returns the files of `fairway man --all` by their names.
std::map<std::string, std::string> all_pages(const std::string& settings = "") {
  const testing::TempDirectory folder;
  // The folder is made as needed.
  const std::string pages = folder.text() + "/share/man1";
  const Outcome done = run(program + settings + " man --all --dir '" + pages + "'");
  EXPECT_EQ(done.exit_code, 0) << done.output;
  EXPECT_EQ(done.output, "");
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(pages)) {
    EXPECT_NE(entry.status().permissions() & fs::perms::others_read, fs::perms::none) << entry.path();
    files[entry.path().filename()] = read_file(entry.path()).value_or("");
  }
  return files;
}

bool is_installed(const std::string& name) {
  return run("command -v " + name).exit_code == 0;
}

/// Runs a command with the file of each page behind it; it has to say nothing, and to end well.
void expect_no_complaint(const std::string& command, const std::string& rest) {
  for (const auto& [name, text] : all_pages()) {
    const testing::TempDirectory folder;
    const Outcome checked = run(command + " '" + folder.write(name, text).string() + "' " + rest);
    EXPECT_EQ(checked.exit_code, 0) << name;
    EXPECT_EQ(checked.output, "") << name;
  }
}

TEST(Manual, HasAPageForEachCommandAndThePlugin) {
  const auto pages = all_pages();
  for (const std::string name :
       {"fairway.1", "fairway-serve.1", "fairway-operator.1", "fairway-adm.1", "fairway-graph.1",
        "fairway-lint.1", "fairway-apiserver.1", "fairway-gateway.1", "kubectl-fairway.1"}) {
    EXPECT_TRUE(pages.contains(name)) << name;
  }
  const std::string& overview = pages.at("fairway.1");
  for (const auto& [name, text] : pages) {
    std::string title = name.substr(0, name.size() - 2);
    for (std::size_t at = 0; (at = title.find('-', at)) != std::string::npos; at += 2) title.insert(at, "\\");
    EXPECT_TRUE(text.contains("\n.SH NAME\n" + title + " \\- ")) << name;
    EXPECT_TRUE(name == "fairway.1" || overview.contains("\\fB" + title + "\\fR(1)"))
        << name << " is not in SEE ALSO of fairway(1)";
  }
}

TEST(Manual, HasCommandsThatRunByThemselvesAndHaveOthersBelow) {
  const auto pages = all_pages();
  EXPECT_TRUE(pages.at("fairway-adm.1").contains("\n.SS fairway adm upgrade\n"));
  EXPECT_TRUE(pages.at("fairway-adm.1").contains("\\-\\-allow\\-upgrade\\-with\\-warnings"));
  EXPECT_TRUE(pages.at("fairway-apiserver.1").contains("\n.SS fairway apiserver\n"));
  EXPECT_TRUE(pages.at("fairway-apiserver.1").contains("\n.SS fairway apiserver restore\n"));
  EXPECT_TRUE(pages.at("fairway-gateway.1").contains("\\-\\-endpoint\\-cidrs"));
}

TEST(Manual, HasAllCommandsAndTheirFlagsOnItsFirstPageToo) {
  const auto pages = all_pages();
  const std::string& overview = pages.at("fairway.1");
  std::set<std::string> found;
  for (const auto& [name, text] : pages) {
    std::string_view before;
    for (const std::string_view line : split(text, '\n')) {
      const bool is_flag = before == ".TP" && line.starts_with("\\fB\\-");
      before = line;
      if (!is_flag && !line.starts_with(".SS fairway ")) continue;
      EXPECT_TRUE(overview.contains("\n" + std::string(line) + "\n")) << name << ": " << line;
      found.insert(std::string(line));
    }
  }
  EXPECT_TRUE(found.contains(".SS fairway adm upgrade"));
  EXPECT_TRUE(found.contains("\\fB\\-\\-memory\\fR"));
}

TEST(Manual, ShowsFlagsByTheirGroups) {
  const auto pages = all_pages();
  const std::string& serve = pages.at("fairway-serve.1");
  const std::size_t replicas = serve.find("\n.SS Replicas\nSee \\fIdocs/service\\-replicas.md\\fR.\n");
  ASSERT_NE(replicas, std::string::npos);
  EXPECT_GT(serve.find("\\-\\-peers\\fR"), replicas);
  EXPECT_TRUE(pages.at("fairway-gateway.1").contains("\n\\fBEnvoy\\fR\n"));
}

TEST(Manual, NamesPagesOfTheDocumentationThatExist) {
  for (const auto& [name, text] : all_pages()) {
    int found = 0;
    for (const std::string_view part : split(text, 'I')) {
      // \fIdocs/service\-held.md\fR
      if (!part.starts_with("docs/") && !part.starts_with("README.md")) continue;
      std::string path(part.substr(0, part.find("\\fR")));
      std::erase(path, '\\');
      EXPECT_TRUE(fs::exists(fs::path(FAIRWAY_SOURCE_DIR) / path)) << name << " names " << path;
      ++found;
    }
    EXPECT_GT(found, 0) << name << " names no page of the documentation";
  }
}

TEST(Manual, HasTheSameBytesEachTime) {
  const auto pages = all_pages();
  EXPECT_EQ(pages, all_pages());
  for (const auto& [name, text] : pages) {
    const std::string topic = name == "kubectl-fairway.1" ? "kubectl-fairway"
                              : name == "fairway.1"       ? ""
                                                          : name.substr(8, name.size() - 10);
    EXPECT_EQ(run(program + "man " + topic).output, text) << name;
  }
}

TEST(Manual, HasTheDateThatTheBuildGives) {
  EXPECT_TRUE(run(program + "man").output.contains(" 1 \"\" \"fairway "));
  const auto dated = [](const std::string& seconds) {
    return run("SOURCE_DATE_EPOCH=" + seconds + " '" FAIRWAY_BINARY "' man lint");
  };
  EXPECT_TRUE(dated("0").output.contains(".TH FAIRWAY\\-LINT 1 \"1970-01-01\" "));
  EXPECT_TRUE(dated("1798675199").output.contains(" 1 \"2026-12-30\" "));
  EXPECT_TRUE(dated("1798675200").output.contains(" 1 \"2026-12-31\" "));
  EXPECT_TRUE(dated("''").output.contains(" 1 \"\" "));
  for (const std::string wrong : {"today", "-1", "12x", "253402300800", "99999999999999999999"}) {
    const Outcome refused = dated(wrong);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_TRUE(refused.output.contains("SOURCE_DATE_EPOCH is '" + wrong + "'")) << refused.output;
  }
}

TEST(Manual, SaysWhyItCannotBeWritten) {
  const testing::TempDirectory folder;
  folder.write("file", "");
  const Outcome refused = run(program + "man --all --dir '" + folder.text() + "/file/man1'");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.output.contains(folder.text() + "/file/man1")) << refused.output;
  fs::create_directories(folder / "man1/fairway-adm.1");
  const Outcome in_the_way = run(program + "man --all --dir '" + folder.text() + "/man1'");
  EXPECT_EQ(in_the_way.exit_code, 1);
  EXPECT_TRUE(in_the_way.output.contains("writing " + folder.text() + "/man1/fairway-adm.1: Is a directory"))
      << in_the_way.output;
}

TEST(Manual, IsShownByManWithoutAWarning) {
  if (!is_installed("man")) GTEST_SKIP() << "man is not installed (Debian: apt-get install man-db)";
  expect_no_complaint("LC_ALL=C.UTF-8 man --warnings -E UTF-8 -Tutf8 -Z -l", ">/dev/null");
}

TEST(Manual, IsTakenByMandocWithoutAnError) {
  if (!is_installed("mandoc")) GTEST_SKIP() << "mandoc is not installed (Debian: apt-get install mandoc)";
  expect_no_complaint("mandoc -T lint -W error", "");
}

TEST(Manual, ShowsTextAsItIsTyped) {
  if (!is_installed("man")) GTEST_SKIP() << "man is not installed (Debian: apt-get install man-db)";
  const testing::TempDirectory folder;
  const auto shown = [&](const std::string& topic) {
    return run(program + "man " + topic + " >'" + folder.text() +
               "/page.1' && MANWIDTH=200 LC_ALL=C.UTF-8 man -l '" + folder.text() + "/page.1' | col -b")
        .output;
  };
  const std::string operator_page = shown("operator"), apiserver = shown("apiserver");
  EXPECT_TRUE(operator_page.contains("(`fairway promql cost` lists them")) << operator_page;
  EXPECT_TRUE(operator_page.contains("fairway operator --kubeconfig ~/.kube/config --namespace"))
      << operator_page;
  EXPECT_TRUE(apiserver.contains("After `--`: run this")) << apiserver;
  EXPECT_TRUE(apiserver.contains("Copy the database into one file")) << apiserver;
}

}  // namespace
}  // namespace fairway
