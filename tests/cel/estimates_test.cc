// SPDX-License-Identifier: Apache-2.0

// Estimates of each function with each sort of argument, as Kubernetes makes them.
#include <gtest/gtest.h>

#include <fstream>

#include "cel/estimate_table.h"

namespace fairway::test {
namespace {

TEST(CelEstimates, OfEachFunctionWithEachSortOfArgumentAreThoseOfKubernetes) {
  EstimateTable table;
  std::ifstream in(FAIRWAY_SOURCE_DIR "/tests/cel/estimates.tsv");
  std::string line, differences;
  int count = 0;
  while (std::getline(in, line)) {
    const std::string difference = table.compare(line);
    if (difference.empty()) continue;
    ++count;
    differences += difference + '\n';
  }
  EXPECT_EQ(count, 0) << differences;
  EXPECT_GT(table.count, 2000);
}

}  // namespace
}  // namespace fairway::test
