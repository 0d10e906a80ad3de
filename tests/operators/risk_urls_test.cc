// SPDX-License-Identifier: Apache-2.0

// URLs of risks: what is written has the schema's format `uri`, which is narrower than that of URLs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operators/internal/censor.h"

namespace fairway::operators {
namespace {

struct Case {
  const char* given;
  const char* written;
};

const char* const not_understood = graph::not_understood_url;

class RiskUrls : public ::testing::TestWithParam<Case> {};

TEST_P(RiskUrls, AreWrittenAsTheSchemaTakesThem) {
  static const risk::Registry registry = risk::standard_registry();
  const std::vector<graph::Risk> risks{{.url = GetParam().given,
                                        .name = "A",
                                        .message = "A may happen.",
                                        .matching_rules = {json::Object{{"type", "Always"}}}}};
  std::vector<std::string> left_out;
  const auto written = writable_risks(risks, "4.7.4", registry, left_out);
  ASSERT_EQ(written.size(), 1U);
  EXPECT_EQ(written.front().url, GetParam().written);
  EXPECT_TRUE(left_out.empty());
}

INSTANTIATE_TEST_SUITE_P(All, RiskUrls,
                         ::testing::Values(Case{"https://example.com/A#b", "https://example.com/A#b"},
                                           Case{"https://example.com/a b", "https://example.com/a%20b"},
                                           // Go takes the fragment for a part of the host.
                                           Case{"https://exam#ple.com/A", not_understood},
                                           Case{"example.com/A", not_understood}, Case{"", not_understood}));

}  // namespace
}  // namespace fairway::operators
