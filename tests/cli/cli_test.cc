// SPDX-License-Identifier: Apache-2.0

// Runs the program as people do. Each file in tests/cli/cases is a case:
//   # why
//   $ a line of bash, run at the project's root, where `fairway` is the program just built, $TMP a folder of
//   the
//     case's own, and $EXAMPLES the flags for examples/
//   exit N
//   --- stdout
//   what it prints
//   --- stderr
//   what it says there
// A part that is empty is left out. `./dev test cli` with FAIRWAY_UPDATE_GOLDEN=1 writes what the program
// prints now.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string head;  ///< comments and the line of bash, as written
  std::string command;
  int exit_code = 0;
  std::string output, errors;

  std::string text() const {
    std::string text = head + "exit " + std::to_string(exit_code) + "\n";
    if (!output.empty())
      text += "--- stdout\n" + output + (output.ends_with('\n') ? "" : "\n--- no newline\n");
    if (!errors.empty()) text += "--- stderr\n" + errors;
    return text;
  }
};

Case read_case(const std::string& text) {
  Case read;
  std::string* part = nullptr;
  std::vector<std::string_view> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (const std::string_view line : lines) {
    if (line == "--- stdout") {
      part = &read.output;
    } else if (line == "--- stderr") {
      part = &read.errors;
    } else if (line == "--- no newline") {
      part->pop_back();
    } else if (part) {
      *part += std::string(line) + "\n";
    } else if (line.starts_with("exit ")) {
      read.exit_code = std::stoi(std::string(line.substr(5)));
    } else {
      read.head += std::string(line) + "\n";
      if (line.starts_with("$ ")) read.command = line.substr(2);
    }
  }
  return read;
}

/// Runs a case, and returns it with the present output.
Case run(const Case& wanted) {
  const testing::TempDirectory folder;
  const fs::path script = folder.path() / "script", output = folder.path() / "output",
                 errors = folder.path() / "errors";
  const std::string bash =
      "cd '" FAIRWAY_SOURCE_DIR "'\nunset COLUMNS\nPATH='" + fs::path(FAIRWAY_BINARY).parent_path().string() +
      "':$PATH TMP='" + folder.path().string() +
      "' EXAMPLES='--graph-data examples/graph-data --releases examples/releases.json'\n" + wanted.command +
      "\n";
  EXPECT_TRUE(write_file_atomically(script, bash).has_value());
  const std::string command =
      "bash '" + script.string() + "' >'" + output.string() + "' 2>'" + errors.string() + "'";
  const int status = std::system(command.c_str());
  Case now = wanted;
  now.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  now.output = read_file(output).value_or("");
  now.errors = read_file(errors).value_or("");
  return now;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(FAIRWAY_SOURCE_DIR) / "tests/cli/cases")) {
    names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

class CommandLine : public ::testing::TestWithParam<std::string> {};

TEST_P(CommandLine, SaysWhatItsCaseSays) {
  const fs::path file = fs::path(FAIRWAY_SOURCE_DIR) / "tests/cli/cases" / (GetParam() + ".txt");
  const auto text = read_file(file);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  const Case wanted = read_case(*text);
  ASSERT_FALSE(wanted.command.empty()) << file << " has no line that begins with `$ `";
  const Case now = run(wanted);
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file_atomically(file, now.text()).has_value());
    return;
  }
  EXPECT_EQ(now.exit_code, wanted.exit_code);
  EXPECT_EQ(now.output, wanted.output);
  EXPECT_EQ(now.errors, wanted.errors);
}

INSTANTIATE_TEST_SUITE_P(Cases, CommandLine, ::testing::ValuesIn(case_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace fairway
