// SPDX-License-Identifier: Apache-2.0

// Schemas themselves.
#include "schema/structural.h"

#include <gtest/gtest.h>

#include "schema/cases.h"

namespace fairway::schema {
namespace {

using testing::field, testing::lines, testing::text;

constexpr std::string_view path = "spec.versions[0].schema.openAPIV3Schema";

TEST(Structural, ReportsWhatTheApiServerReports) {
  for (const json::Value& row : testing::read_cases("structural.json")) {
    SCOPED_TRACE(text(row, "case") + ": " + json::to_text(field(row, "schema")));
    const Violations problems = check_structural(field(row, "schema").as_object(), path);
    const json::Array& expected = field(row, "problems").as_array();
    if (expected.size() == 1 && std::string_view(expected[0].as_string()).starts_with("error | ")) {
      ASSERT_EQ(problems.size(), 1u);
      EXPECT_EQ("error | " + problems[0].message.substr(problems[0].message.find("\": ") + 3),
                std::string_view(expected[0].as_string()));
    } else {
      EXPECT_EQ(lines(problems), lines(field(row, "problems")));
    }
  }
}

TEST(Structural, IsSorted) {
  const json::Value schema = json::parse(R"({"type": "object", "properties": {"b": {}, "a": {}}})").value();
  const Violations problems = check_structural(schema.as_object(), path);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(
      problems[0].to_string(),
      "spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for "
      "specified object fields");
}

TEST(DefinitionSchema, IsRefusedForWhatTheApiServerRefusesItFor) {
  for (const json::Value& row : testing::read_cases("definition.json")) {
    SCOPED_TRACE(text(row, "case") + ": " + json::to_text(field(row, "schema")));
    EXPECT_EQ(lines(check_definition_schema(field(row, "schema").as_object(), path)),
              lines(field(row, "problems")));
  }
}

}  // namespace
}  // namespace fairway::schema
