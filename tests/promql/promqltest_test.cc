// SPDX-License-Identifier: Apache-2.0

#include "promql/script/promqltest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "support/shared_data.h"

namespace fairway::promql {
namespace {

struct Counts {
  int passed = 0, skipped = 0, failed = 0;
};

Counts count(const std::vector<ScriptCase>& cases) {
  Counts counts;
  for (const ScriptCase& one : cases) {
    ++(one.outcome == ScriptCase::Outcome::passed    ? counts.passed
       : one.outcome == ScriptCase::Outcome::skipped ? counts.skipped
                                                     : counts.failed);
  }
  return counts;
}

/// Runs the scripts of a folder: none may fail, and cases may be skipped only for one of `features`.
void run_folder(const char* folder, const ScriptOptions& options, const std::vector<std::string>& features,
                int at_least) {
  const std::filesystem::path path = fairway::testing::shared_path("data/promqltest") / folder;
  FAIRWAY_NEEDS_SHARED(path);
  Counts all;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const auto script = read_file(entry.path());
    ASSERT_TRUE(script);
    const std::vector<ScriptCase> cases = run_script(*script, options);
    const std::string file = entry.path().filename();
    for (const ScriptCase& one : cases) {
      EXPECT_NE(one.outcome, ScriptCase::Outcome::failed)
          << file << ":" << one.line << ": " << one.query << ": " << one.detail;
      if (one.outcome == ScriptCase::Outcome::skipped) {
        EXPECT_NE(std::ranges::find(features, one.detail), features.end()) << file << ": " << one.detail;
      }
    }
    const Counts counts = count(cases);
    std::printf("%s/%s: %d passed, %d failed, %d skipped\n", folder, file.c_str(), counts.passed,
                counts.failed, counts.skipped);
    all.passed += counts.passed;
  }
  EXPECT_GE(all.passed, at_least);
}

TEST(PromqlTest, PassesEveryCaseOfPrometheus2) {
  run_folder("v2.42", {.dialect = Dialect::prometheus2}, {}, 566);
}

TEST(PromqlTest, PassesEveryCaseOfPrometheus3ButNativeHistogramsAndExperiments) {
  run_folder("head", {}, {"native histograms", "limitk", "limit_ratio", "mad_over_time"}, 450);
}

TEST(PromqlTest, SaysWhichCaseFailsAndWhy) {
  const std::vector<ScriptCase> cases = run_script(
      "load 1m\n"
      "  up{job=\"a\"} 0+1x3 _ stale NaN\n"
      "\n"
      "# The right one.\n"
      "eval instant at 2m up\n"
      "  up{job=\"a\"} 2\n"
      "\n"
      "eval instant at 2m up\n"
      "  up{job=\"a\"} 3\n"
      "\n"
      "eval instant at 2m up\n"
      "  up{job=\"b\"} 2\n"
      "\n"
      "eval instant at 2m mad_over_time(up[5m])\n"
      "  {job=\"a\"} 2\n"
      "\n"
      "eval range from 0 to 2m step 1m up + 1\n"
      "  {job=\"a\"} 1 2 4\n"
      "\n"
      "evaluate this\n");
  ASSERT_EQ(cases.size(), 6U);
  EXPECT_EQ(cases[0].outcome, ScriptCase::Outcome::passed);
  EXPECT_EQ(cases[1].detail, "got {__name__=\"up\", job=\"a\"} 2, expected 3");
  EXPECT_EQ(cases[1].line, 8);
  EXPECT_EQ(cases[2].detail, "unexpected {__name__=\"up\", job=\"a\"} 2");
  EXPECT_EQ(cases[3].outcome, ScriptCase::Outcome::skipped);
  EXPECT_EQ(cases[3].detail, "mad_over_time");
  EXPECT_EQ(cases[4].detail, "{job=\"a\"} at 120000 ms: expected 4, got 3");
  EXPECT_EQ(cases[5].outcome, ScriptCase::Outcome::failed);
}

TEST(PromqlTest, LoadsNoMoreSamplesThanItsLimit) {
  ScriptOptions options;
  options.max_samples = 10;
  const std::string script = "load 1m\n  a 0x8\n  b 0x9\n  c 0\n\neval instant at 1m a\n  a 0\n";
  const std::vector<ScriptCase> cases = run_script(script, options);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].line, 3);
  EXPECT_EQ(cases[0].detail, "the series that are loaded have more than 10 samples");
  EXPECT_EQ(cases[1].outcome, ScriptCase::Outcome::passed);
  // What was cleared away does not count.
  EXPECT_TRUE(run_script("load 1m\n  a 0x9\n\nclear\nload 1m\n  a 0x9\n", options).empty());
}

TEST(PromqlTest, RefusesExpectationsThatPrometheusRefuses) {
  for (const auto& [script, why] : std::vector<std::pair<std::string, std::string>>{
           {"eval instant at 1m a\n  a 2 3\n", "an instant query gives {__name__=\"a\"} one value, not 2"},
           {"eval instant at 1m a\n  a 3\n  {__name__=\"a\"} 2\n", "{__name__=\"a\"} is expected twice"},
           {"eval instant at 1m 1\n  2\n  1\n", "nothing stands behind the number that is expected"},
           {"eval instant at 1m 1\n  1\n  {} 1\n", "nothing stands behind the number that is expected"}}) {
    const std::vector<ScriptCase> cases = run_script("load 1m\n  a 1 2\n\n" + script);
    ASSERT_EQ(cases.size(), 1U) << script;
    EXPECT_EQ(cases[0].detail, why);
    EXPECT_EQ(cases[0].outcome, ScriptCase::Outcome::failed);
  }
}

TEST(PromqlTest, GivesACaseUpWhenItsTimeIsOver) {
  FakeClock clock;
  ScriptOptions options;
  options.clock = &clock;
  options.timeout = std::chrono::milliseconds(0);
  const std::vector<ScriptCase> cases =
      run_script("eval range from 0 to 100y step 1ms nosuch\n\neval_fail instant at 0 nosuch\n", options);
  ASSERT_EQ(cases.size(), 2U);
  for (const ScriptCase& one : cases) {
    EXPECT_EQ(one.outcome, ScriptCase::Outcome::failed);
    EXPECT_EQ(one.detail, "query timed out in expression evaluation");
  }
}

TEST(PromqlTest, SkipsSeriesWithHistogramsOnlyWhereOneIsRead) {
  for (const Dialect dialect : {Dialect::prometheus3, Dialect::prometheus2}) {
    const std::vector<ScriptCase> cases = run_script(
        "load 1m\n"
        "  mix 1 2 {{schema:0 sum:1 count:1}} {{schema:0 sum:1 count:1}} 5\n"
        "\n"
        "eval instant at 1m mix\n"
        "  mix 2\n"
        "\n"
        "eval instant at 4m mix\n"
        "  mix 5\n"
        "\n"
        "eval instant at 1m sum_over_time(mix[90s])\n"
        "  {} 3\n"
        "\n"
        "eval instant at 3m mix\n"
        "  mix 2\n"
        "\n"
        "eval instant at 4m sum_over_time(mix[90s])\n"
        "  {} 5\n"
        "\n"
        "eval instant at 7m59s sum_over_time(mix[5m])\n"
        "  {} 5\n",
        {.dialect = dialect});
    ASSERT_EQ(cases.size(), 6U);
    for (const std::size_t i : {0, 1, 2})
      EXPECT_EQ(cases[i].outcome, ScriptCase::Outcome::passed) << cases[i].detail;
    for (const std::size_t i : {3, 4, 5}) EXPECT_EQ(cases[i].detail, "native histograms");
  }
}

TEST(PromqlTest, SkipsWhatNeedsNativeHistogramsAndNothingElse) {
  const std::vector<ScriptCase> cases = run_script(
      "load 1m\n"
      "  native {{schema:0 sum:1 count:1}}x3\n"
      "  plain 1x3\n"
      "\n"
      "eval instant at 1m plain\n"
      "  plain 1\n"
      "\n"
      "eval instant at 1m {__name__=~\"plain|native\"}\n"
      "  plain 1\n");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].outcome, ScriptCase::Outcome::passed);
  EXPECT_EQ(cases[1].detail, "native histograms");
}

}  // namespace
}  // namespace fairway::promql
