// SPDX-License-Identifier: Apache-2.0

#include "support/story.h"

#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "base/text.h"

namespace fairway {
namespace {

TEST(Story, IsToldToItsEnd) {
  if (const std::string program = testing::missing_for_story(); !program.empty())
    GTEST_SKIP() << program << " is not installed";
  testing::expect_story({});
}

/// The tour shows the commands of the story, and no others.
TEST(Story, HasTheCommandsOfTheTour) {
  const auto tour = read_file(FAIRWAY_SOURCE_DIR "/docs/tour.md");
  ASSERT_TRUE(tour) << tour.error().message;
  const auto script = read_file(FAIRWAY_SOURCE_DIR "/examples/cluster/up.sh");
  ASSERT_TRUE(script) << script.error().message;
  std::vector<std::string> shown, run;
  constexpr std::string_view prompt = "$ fairway ";
  for (const std::string_view line : split(*tour, '\n')) {
    if (line.starts_with(prompt)) shown.emplace_back(line.substr(prompt.size()));
  }
  for (const std::string_view indented : split(*script, '\n')) {
    const std::string_view line = trim(indented);
    // The addresses are others each time.
    if (line.starts_with("run ") && !line.contains('$')) run.emplace_back(line.substr(4));
  }
  std::erase_if(shown, [](const std::string& one) { return one.contains("127.0.0.1"); });
  EXPECT_GE(run.size(), 9U);
  EXPECT_EQ(shown, run);
}

}  // namespace
}  // namespace fairway
