// SPDX-License-Identifier: Apache-2.0

// Numbers and JSON as Go writes them: the table is tests/base/data/go_numbers.tsv, which Go wrote.
#include "base/go_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "support/table.h"

namespace fairway {
namespace {

std::string encoded(const json::Value& value, GoEncoder encoder = GoEncoder::encoding_json) {
  std::string out;
  append_go_json(out, value, encoder);
  return out;
}

TEST(GoText, WritesNumbersAsTheTableSays) {
  const auto rows = fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/base/data/go_numbers.tsv");
  EXPECT_GT(rows.size(), 25u);
  for (const auto& row : rows) {
    const double value = std::strtod(row.at(0).c_str(), nullptr);
    EXPECT_EQ(go_plain_number(value), row.at(1)) << row.at(0);
    EXPECT_EQ(go_number(value), row.at(2)) << row.at(0);
    EXPECT_EQ(encoded(value), row.at(3)) << row.at(0);
  }
}

TEST(GoText, WritesWhatIsNotFinite) {
  for (const auto& write : {go_plain_number, go_number}) {
    EXPECT_EQ(write(std::nan("")), "NaN");
    EXPECT_EQ(write(std::numeric_limits<double>::infinity()), "+Inf");
    EXPECT_EQ(write(-std::numeric_limits<double>::infinity()), "-Inf");
  }
  EXPECT_EQ(encoded(std::nan("")), "null");
}

TEST(GoText, WritesIntegersBeyondInt64AsTheFloatsThatGoReads) {
  EXPECT_EQ(encoded(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(encoded(std::uint64_t{9223372036854775807u}), "9223372036854775807");
  EXPECT_EQ(encoded(std::uint64_t{9223372036854775808u}), "9223372036854776000");
  EXPECT_EQ(encoded(std::numeric_limits<std::uint64_t>::max()), "18446744073709552000");
}

TEST(GoText, SortsMembersAndEscapesHtml) {
  EXPECT_EQ(encoded(json::parse(R"({"b":[1,2.0,{}],"a<":null,"":[true]})").value()),
            R"({"":[true],"a\u003c":null,"b":[1,2,{}]})");
  const std::string text = "<>&\u2028\u2029\u2027\u00e2\"\\/\n\r\t\b\f\x0b\x7f";
  EXPECT_EQ(encoded(json::Value(text)),
            "\"\\u003c\\u003e\\u0026\\u2028\\u2029\u2027\u00e2\\\"\\\\/\\n\\r\\t\\b\\f\\u000b\x7f\"");
  EXPECT_EQ(encoded(json::Value("\b\f"), GoEncoder::json_iterator), R"("\u0008\u000c")");
}

}  // namespace
}  // namespace fairway
