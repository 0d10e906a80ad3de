// SPDX-License-Identifier: Apache-2.0

// The tables of docs/lint.md, for tests that compare them with what lint says.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace fairway::graphdata {

/// Returns the rows of the table in a section of docs/lint.md, without its head and the line below it.
inline std::vector<std::string> documented_rows(const std::string& section) {
  const Result<std::string> page = read_file(std::filesystem::path(FAIRWAY_SOURCE_DIR) / "docs/lint.md");
  EXPECT_TRUE(page) << page.error().message;
  std::istringstream lines(page.value_or(""));
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line == "## " + section;
    if (inside && line.starts_with("| ")) rows.push_back(line);
  }
  EXPECT_FALSE(rows.empty()) << "docs/lint.md has no table in its section " << section;
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

}  // namespace fairway::graphdata
