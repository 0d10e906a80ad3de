// SPDX-License-Identifier: Apache-2.0

#include "base/log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/json.h"

namespace fairway::log {
namespace {

/// Returns the text that is written to standard error for one event.
std::string written(Format format, std::initializer_list<Field> fields) {
  configure(Level::info, format);
  ::testing::internal::CaptureStderr();
  info("something happened", fields);
  std::string line = ::testing::internal::GetCapturedStderr();
  configure(Level::info, Format::text);
  return line;
}

TEST(Log, NumbersAreNumbersInJson) {
  const std::string line = written(Format::json, {{"count", 3},
                                                  {"negative", std::int64_t{-1}},
                                                  {"large", std::numeric_limits<std::uint64_t>::max()},
                                                  {"version", "4.7"},
                                                  {"id", "12"}});
  const json::Value event = json::parse(line).value();
  EXPECT_EQ(json::to_text(*json::find(event, "count")), "3");
  EXPECT_EQ(json::to_text(*json::find(event, "negative")), "-1");
  EXPECT_EQ(json::to_text(*json::find(event, "large")), "18446744073709551615");
  // What only looks like a number is none.
  EXPECT_EQ(json::to_text(*json::find(event, "version")), "\"4.7\"");
  EXPECT_EQ(json::to_text(*json::find(event, "id")), "\"12\"");
}

TEST(Log, TextHasThemAsTheyAre) {
  const std::string line = written(Format::text, {{"count", 3}, {"what", "two words"}});
  EXPECT_TRUE(line.ends_with(" info something happened count=3 what=\"two words\"\n")) << line;
}

}  // namespace
}  // namespace fairway::log
