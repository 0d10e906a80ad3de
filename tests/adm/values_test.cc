// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "adm/internal/image_reference.h"
#include "adm/internal/release_version.h"
#include "adm/internal/status/durations.h"
#include "adm/internal/status/estimate.h"
#include "base/yaml_text.h"

namespace fairway::adm {
namespace {

using namespace std::chrono_literals;

TEST(ReleaseVersion, says_what_is_wrong_in_the_words_that_users_know) {
  const std::array<std::pair<std::string, std::string>, 9> cases{{
      {"", "Version string empty"},
      {"v4", "No Major.Minor.Patch elements found"},
      {"v4.1.0", "Invalid character(s) found in major number \"v4\""},
      {"04.1.0", "Major number must not contain leading zeroes \"04\""},
      {"4.x.0", "Invalid character(s) found in minor number \"x\""},
      {"4.1.0.1", "Invalid character(s) found in patch number \"0.1\""},
      {"4.1.0-", "Prerelease is empty"},
      {"4.1.0-01", "Numeric PreRelease version must not contain leading zeroes \"01\""},
      {"4.1.0+a+b", "Invalid character(s) found in build meta data \"a+b\""},
  }};
  for (const auto& [text, fault] : cases) {
    const auto version = read_version(text);
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().message, fault) << text;
  }
  EXPECT_EQ(read_version("4.19.0-okd-scos.17+x").value().to_string(), "4.19.0-okd-scos.17+x");
}

TEST(ReleaseVersion, shows_the_highest_first_and_last_what_is_no_version) {
  EXPECT_TRUE(is_shown_before("4.6.100", "4.6.9"));
  EXPECT_TRUE(is_shown_before("4.6.10", "4.6.10-rc.1"));
  EXPECT_TRUE(is_shown_before("4.6.1", "latest"));
  EXPECT_FALSE(is_shown_before("latest", "4.6.1"));
  EXPECT_TRUE(is_shown_before("b", "a"));
}

TEST(ImageReference, has_a_tag_a_digest_or_neither) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(ImageReference::parse("quay.io/a/b@" + digest).value().digest, digest);
  EXPECT_EQ(ImageReference::parse("localhost:5000/a:4.6.43").value().tag, "4.6.43");
  EXPECT_EQ(ImageReference::parse("localhost:5000/a").value().tag, "");
  EXPECT_EQ(ImageReference::parse("4.6.43").value().repository, "4.6.43");
}

TEST(ImageReference, is_refused_where_no_registry_could_have_it) {
  for (const std::string text : {"", "quay.io/", "quay.io//b", "quay.io/a:", "quay.io/a@sha256:abc", "a b",
                                 "quay.io/a@", "quay.io/a@sha256:gggggggggggggggggggggggggggggggg"})
    EXPECT_FALSE(ImageReference::parse(text)) << text;
  EXPECT_EQ(ImageReference::parse("quay.io/A/b:1").error().message,
            "invalid reference format: repository name must be lowercase");
  EXPECT_EQ(ImageReference::parse("quay.io/a@sha256:" + std::string(40, 'a')).error().message,
            "invalid checksum digest length");
}

TEST(Durations, leave_out_units_that_are_zero_at_the_end) {
  EXPECT_EQ(short_duration(0s), "now");
  EXPECT_EQ(short_duration(999ms), "now");
  EXPECT_EQ(short_duration(3s), "3s");
  EXPECT_EQ(short_duration(10min), "10m");
  EXPECT_EQ(short_duration(2h), "2h");
  EXPECT_EQ(short_duration(1h + 17s + 300ms), "1h0m17s");
  EXPECT_EQ(short_duration(1h + 4min), "1h4m");
}

TEST(Durations, are_rounded_half_away_from_zero) {
  EXPECT_EQ(round_to(90s, 1min), 2min);
  EXPECT_EQ(round_to(89s, 1min), 1min);
  EXPECT_EQ(round_to(-90s, 1min), -2min);
}

TEST(Durations, between_far_times_are_a_century) {
  const WallTime unset = parse_time("0001-01-01T00:00:00Z").value(),
                 now = parse_time("2026-11-22T00:00:00Z").value();
  EXPECT_EQ(elapsed(unset, now), std::chrono::years(100));
  EXPECT_EQ(elapsed(WallTime::max(), unset), -std::chrono::years(100));
  EXPECT_EQ(elapsed(now, now + 90s), 90s);
}

TEST(Estimate, follows_the_last_update_until_progress_was_seen_for_five_minutes) {
  EXPECT_EQ(estimate_remaining(1h, 5min, 10min, 0.5), 1h);
  EXPECT_GT(estimate_remaining(1h, 30min, 30min, 0.5), 10min);
  EXPECT_EQ(estimate_remaining(1h, 30min, 30min, 1), 0min);
  EXPECT_LT(estimate_remaining(1h, 4min, 2h, 0.5), 0min);
}

TEST(Yaml, quotes_what_could_be_read_as_something_else) {
  const json::Value value =
      json::parse(R"({"version": "4.7.4", "yes": "no", "list": ["a", {"b": 1, "c": []}], "text":
      "two\nlines", "url": "https://example.com/a#b", "none": null, "empty": {}})")
          .value();
  EXPECT_EQ(to_yaml(value),
            "version: \"4.7.4\"\n"
            "\"yes\": \"no\"\n"
            "list:\n"
            "- a\n"
            "- b: 1\n"
            "  c: []\n"
            "text: \"two\\nlines\"\n"
            "url: \"https://example.com/a#b\"\n"
            "none: null\n"
            "empty: {}\n");
}

}  // namespace
}  // namespace fairway::adm
