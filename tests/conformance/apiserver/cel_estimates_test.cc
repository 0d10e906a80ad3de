// SPDX-License-Identifier: Apache-2.0

// Estimates of random rules beside those of cel-go in Kubernetes's environment.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "cel/estimate_table.h"
#include "conformance/apiserver/programs.h"

namespace fairway::test {
namespace {

TEST(CelEstimates, OfRandomRulesAreThoseOfKubernetes) {
  const int count = conformance::everything() ? 200'000 : 10'000;
  EstimateTable table;
  int differences = 0;
  std::string first, rest;
  conformance::run_judge(
      "cel-estimates", {std::to_string(conformance::seed()), std::to_string(count)},
      [&](std::string_view part) {
        rest += part;
        std::size_t begin = 0;
        for (std::size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
          const std::string difference = table.compare(std::string_view(rest).substr(begin, end - begin));
          if (difference.empty()) continue;
          if (++differences <= 10) first += difference + '\n';
        }
        rest.erase(0, begin);
      });
  std::printf("%7d different rules\n", table.count);
  EXPECT_EQ(differences, 0) << first;
  EXPECT_GT(table.count, count / 2);
}

}  // namespace
}  // namespace fairway::test
