// SPDX-License-Identifier: Apache-2.0

// Numbers: how they are read, by all readers alike, and written, by all writers alike.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/json.h"
#include "base/json_stream.h"
#include "base/json_unambiguous.h"
#include "support/table.h"

namespace fairway::json {
namespace {

std::vector<fairway::testing::TableRow> rows() {
  return fairway::testing::read_table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/base/data/json_numbers.tsv");
}

std::string written(const Value& value) {
  std::string text;
  append_text(text, value);
  return text;
}

/// Feeds a text in pieces of `step` bytes.
template <class Reader>
Result<void> feed(Reader& reader, std::string_view text, std::size_t step) {
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    if (auto fed = reader.feed(text.substr(0, step)); !fed) return fed;
  }
  return {};
}

std::string from_stream(const std::string& text, std::size_t step) {
  std::string out;
  StreamReader reader(1 << 20, [&](const Value& value) -> Result<void> {
    out += written(value);
    return {};
  });
  const auto fed = feed(reader, text, step);
  return fed ? out : fed.error().message;
}

std::string from_list(const std::string& text, std::size_t step) {
  std::string out;
  ListReader reader("items", [&](const Value& value) -> Result<void> {
    out += "[" + written(value) + "]";
    return {};
  });
  const auto fed = feed(reader, text, step);
  return fed ? out : fed.error().message;
}

TEST(JsonNumbers, AreReadAndWrittenAsTheTableSays) {
  for (const auto& row : rows()) {
    const std::string number = row.at(0), expected = row.at(1), says = row.at(2);
    SCOPED_TRACE(number);
    const std::string list = "[" + number + "]";
    const auto value = parse(list);
    const auto unambiguous = parse_unambiguous(list);
    if (expected == "error") {
      ASSERT_FALSE(value) << to_text(*value);
      EXPECT_NE(value.error().message.find(says), std::string::npos) << value.error().message;
      EXPECT_NE(value.error().message.find("line 1, column "), std::string::npos) << value.error().message;
      EXPECT_FALSE(unambiguous);
    } else {
      ASSERT_TRUE(value) << value.error().message;
      EXPECT_EQ(to_text(*value), "[" + expected + "]");
      EXPECT_EQ(written(*value), "[" + expected + "]");
      EXPECT_EQ(to_pretty_text(value->at(0)), expected + "\n");
      EXPECT_EQ(to_text(unambiguous.value()), "[" + expected + "]");
      // What was written is read as the same, and written as the same.
      const auto again = parse(written(*value));
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->at(0).kind(), value->at(0).kind());
      EXPECT_EQ(written(*again), "[" + expected + "]");
      const auto alone = parse(number);
      ASSERT_TRUE(alone) << alone.error().message;
      EXPECT_EQ(to_text(*alone), expected);
    }
    for (const std::size_t step : {1, 2, 5, 17, 1000}) {
      const std::string stream = from_stream(list, step);
      const std::string items = from_list("{\"items\":" + list + "}", step);
      if (expected == "error") {
        EXPECT_NE(stream.find(says), std::string::npos) << stream;
        EXPECT_NE(items.find(says), std::string::npos) << items;
      } else {
        EXPECT_EQ(stream, "[" + expected + "]") << step;
        EXPECT_EQ(items, "[" + expected + "]") << step;
      }
    }
  }
}

TEST(JsonNumbers, ThatAreRefusedAreNamedWithTheirPlace) {
  const auto refused = parse("{\n  \"a\": 1,\n  \"b\": [0, 1E400]\n}");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(
      refused.error().message.starts_with("line 3, column 12: the number 1E400 is beyond the largest"))
      << refused.error().message;
}

TEST(JsonNumbers, HaveNoTextWhereTheyAreNotFinite) {
  for (const double number :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(to_text(Value(number)), "null");
    EXPECT_EQ(written(Value(number)), "null");
  }
}

}  // namespace
}  // namespace fairway::json
