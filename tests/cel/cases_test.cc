// SPDX-License-Identifier: Apache-2.0

// Tables of cases, `expression => value` a line: what cel-go and Kubernetes 1.37 give for each.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cel/fixture.h"
#include "cel/internal/syntax/printer.h"
#include "cel/syntax/parser.h"

namespace fairway::test {
namespace {

struct Case {
  std::string file, expression, expected;
  int line = 0;
};

std::vector<Case> read_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(FAIRWAY_SOURCE_DIR "/tests/cel/cases"))
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Case> cases;
  for (const auto& path : files) {
    std::ifstream in(path);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      if (line.empty() || line[0] == '#') continue;
      const std::size_t arrow = line.rfind(" => ");
      if (arrow == std::string::npos) {
        ADD_FAILURE() << path << ":" << number << ": no ' => '";
        continue;
      }
      cases.push_back({path.filename().string(), line.substr(0, arrow), line.substr(arrow + 4), number});
    }
  }
  return cases;
}

bool fits(const std::string& got, const std::string& expected) {
  // Of errors the table may name a part.
  if (expected.starts_with("error: "))
    return got.starts_with("error: ") && got.find(expected.substr(7)) != std::string::npos;
  return got == expected;
}

TEST(CelCases, TablesGiveTheirValuesWithAndWithoutTypes) {
  CelFixture fixture;
  const std::vector<Case> cases = read_cases();
  ASSERT_GT(cases.size(), 100u);
  for (const Case& row : cases) {
    const std::string place = row.file + ":" + std::to_string(row.line) + ": " + row.expression;
    const std::string checked = evaluate_text(fixture, row.expression, true);
    EXPECT_TRUE(fits(checked, row.expected))
        << place << "\n  gives " << checked << "\n  not " << row.expected;
    // Without types the checker's errors come at run time, with other words, or not at all.
    if (row.expected.starts_with("error: ")) continue;
    const std::string unchecked = evaluate_text(fixture, row.expression, false);
    EXPECT_EQ(unchecked, row.expected) << place << " (without types)";
  }
}

TEST(CelCases, WhatIsPrintedParsesToTheSameTree) {
  for (const Case& row : read_cases()) {
    const auto parsed = cel::parse(row.expression);
    if (!parsed) continue;
    const std::string printed = cel::print(**parsed);
    const auto again = cel::parse(printed);
    ASSERT_TRUE(again) << printed;
    EXPECT_TRUE(cel::same_tree(**parsed, **again)) << row.expression << "\n" << printed;
  }
}

}  // namespace
}  // namespace fairway::test
