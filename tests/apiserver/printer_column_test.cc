// SPDX-License-Identifier: Apache-2.0

// Cells of printer columns, beside those of Kubernetes's own code
// (tests/conformance/apiserver/printer-columns).
#include "apiserver/internal/table/printer_column.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using namespace std::chrono_literals;

/// Returns whether a path is one of those that only client-go accepts. It takes an identifier or a closing
/// brace in place of a path, and goes on; such columns are errors here, which also show nothing. And it takes
/// the members of an object by name.
bool is_beyond_the_language(std::string_view path) {
  for (const std::string_view known :
       {".*", ".spec.color}", ".spec color", "spec.color", ".spec..", ".spec['weird key']"}) {
    if (path == known) return true;
  }
  return false;
}

TEST(PrinterColumn, ShowsWhatKubernetesShows) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/printer-columns.jsonl").value();
  json::Value object;
  int compared = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const json::Value recorded = json::parse(line).value();
    if (const json::Value* given = json::find(recorded, "object")) object = *given;
    if (const json::Value* age = json::find(recorded, "age")) {
      const auto seconds = recorded.at("seconds").to_number<std::int64_t>();
      EXPECT_EQ(json::Value(human_duration(std::chrono::seconds(seconds))), *age) << line;
      ++compared;
    }
    const auto path = json::find_string(recorded, "path");
    if (!path || is_beyond_the_language(*path)) continue;
    ++compared;
    const auto column = PrinterColumn::of(*path, json::find_string(recorded, "type").value());
    if (json::find(recorded, "error") != nullptr) {
      EXPECT_FALSE(column) << line;
      continue;
    }
    ASSERT_TRUE(column) << line << column.error().message;
    const json::Value cell = column->cell(object, WallTime(1'800'000'000s));
    const json::Value& expected = recorded.at("cell");
    if (cell.is_number() && expected.is_number()) {
      EXPECT_EQ(cell.to_number<double>(), expected.to_number<double>()) << line;
    } else {
      EXPECT_EQ(cell, expected) << line;
    }
  }
  EXPECT_GE(compared, 200);
}

TEST(PrinterColumn, ShowsADateAsItsAge) {
  const auto column = PrinterColumn::of(".metadata.creationTimestamp", "date");
  const WallTime now = WallTime(1'800'000'000s);
  const json::Value object =
      json::parse(R"({"metadata":{"creationTimestamp":"2027-01-15T07:58:00Z"}})").value();
  EXPECT_EQ(column->cell(object, now), "2m");
  EXPECT_EQ(column->cell(object, now + 23h), "23h");
  EXPECT_EQ(column->cell(object, now - 10min), "<invalid>");
}

TEST(JsonPath, IsBounded) {
  std::string nested = ".a";
  for (int i = 0; i < 100; ++i) nested = ".a[?(@" + nested + "==1)]";
  EXPECT_FALSE(JsonPath::parse(nested));
  EXPECT_FALSE(JsonPath::parse(std::string(20'000, '.')));
  json::Value wide = json::Array(1000, json::Value(json::Array(1000, json::Value(1))));
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += "..*";
  const auto path = JsonPath::parse(deep);
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->find(wide));
}

}  // namespace
}  // namespace fairway::apiserver::table
