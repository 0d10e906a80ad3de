// SPDX-License-Identifier: Apache-2.0

// URLs of risks: what is written has the schema's format `uri`, which is narrower than that of URLs.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "operators/edited_definition.h"
#include "operators/internal/censor.h"

namespace fairway::operators {
namespace {

using testing::edited_definition;
using testing::member_of;

struct Case {
  const char* given;
  const char* written;  ///< nullptr: the update is not listed
  const char* without_format = written;
};

class RiskUrls : public ::testing::TestWithParam<Case> {};

/// Returns the URL of a risk as it is written; "none" if the update is not listed.
std::string written(const char* given, const ServedDefinition& definition) {
  static const risk::Registry registry = risk::standard_registry();
  const std::vector<graph::Risk> risks{{.url = given,
                                        .name = "A",
                                        .message = "A may happen.",
                                        .matching_rules = {json::Object{{"type", "Always"}}}}};
  std::vector<std::string> left_out;
  const auto one = writable_risks(risks, "4.7.4", registry, definition, left_out);
  EXPECT_EQ(left_out.empty(), !one.empty());
  return one.empty() ? "none" : one.front().url;
}

TEST_P(RiskUrls, AreWrittenAsTheDefinitionTakesThem) {
  const Case& one = GetParam();
  EXPECT_EQ(written(one.given, *ServedDefinition::own()), one.written == nullptr ? "none" : one.written);
  const auto wider = edited_definition([](json::Object& status) {
    member_of(status, "conditionalUpdates.items.properties.risks.items.properties.url").erase("format");
  });
  EXPECT_EQ(written(one.given, *wider), one.without_format);
}

INSTANTIATE_TEST_SUITE_P(All, RiskUrls,
                         ::testing::Values(Case{"https://example.com/A#b", "https://example.com/A#b"},
                                           Case{"https://example.com/a b", "https://example.com/a%20b"},
                                           Case{"urn:example:a", "urn:example:a"}, Case{"/docs/a", "/docs/a"},
                                           // Go takes the fragment for a part of the host.
                                           Case{"https://exam#ple.com/A", nullptr, "https://exam#ple.com/A"},
                                           Case{"example.com/A", nullptr, "example.com/A"},
                                           Case{"../docs/a", nullptr, "../docs/a"}));

}  // namespace
}  // namespace fairway::operators
