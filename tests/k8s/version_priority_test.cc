// SPDX-License-Identifier: Apache-2.0

#include "k8s/version_priority.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "k8s/data.h"
#include "support/shared_data.h"

namespace fairway::k8s {
namespace {

int sign(std::weak_ordering order) {
  return order > 0 ? 1 : order < 0 ? -1 : 0;
}

/// Checks a table of rows "A TAB B TAB sign" or "A,B,... -> sorted".
void check_table(const std::string& path, int& pairs, int& lists) {
  for (const auto& row : fairway::testing::read_table(path)) {
    if (row.columns.size() == 3) {
      ++pairs;
      const int expected = std::stoi(row.at(2));
      EXPECT_EQ(sign(compare_priority(row.at(0), row.at(1))), expected) << path << ":" << row.line;
      EXPECT_EQ(sign(compare_priority(row.at(1), row.at(0))), -expected) << path << ":" << row.line;
    } else if (const std::size_t arrow = row.at(0).find(" -> "); arrow != std::string::npos) {
      ++lists;
      const std::string input = row.at(0).substr(0, arrow);
      std::vector<std::string> versions;
      for (const std::string_view version : split(input, ',')) versions.emplace_back(version);
      sort_by_priority(versions);
      EXPECT_EQ(join(versions, ","), row.at(0).substr(arrow + 4)) << path << ":" << row.line;
    } else {
      ADD_FAILURE() << path << ":" << row.line << ": neither a pair nor a list";
    }
  }
}

TEST(VersionPriority, IsAsTheTableSays) {
  int pairs = 0, lists = 0;
  check_table(testing::data_path("version_priority.tsv"), pairs, lists);
  EXPECT_GT(pairs, 0);
  EXPECT_GT(lists, 0);
}

TEST(VersionPriority, IsThatOfKubernetes) {
  const auto path = fairway::testing::shared_path("facts/version-sort.tsv");
  FAIRWAY_NEEDS_SHARED(path);
  int pairs = 0, lists = 0;
  check_table(path.string(), pairs, lists);
  EXPECT_GE(pairs, 378);
  EXPECT_EQ(lists, 5);
}

}  // namespace
}  // namespace fairway::k8s
