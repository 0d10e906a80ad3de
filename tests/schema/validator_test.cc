// SPDX-License-Identifier: Apache-2.0

// Values against schemas.
#include "schema/validator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "schema/cases.h"

namespace fairway::schema {
namespace {

using testing::field, testing::lines, testing::text;

TEST(Validator, ReportsWhatTheApiServerReports) {
  for (const json::Value& row : testing::read_cases("validate.json")) {
    SCOPED_TRACE(text(row, "case") + ": " + json::to_text(field(row, "value")));
    const Validator validator(field(row, "schema").as_object());
    const Violations problems = validator.validate(field(row, "value"), text(row, "prefix"));
    EXPECT_EQ(lines(problems), lines(field(row, "problems")));
    EXPECT_EQ(validator.is_valid(field(row, "value")), problems.empty());
  }
}

TEST(Validator, ToleratesOnUpdatesWhatTheApiServerTolerates) {
  for (const json::Value& row : testing::read_cases("update.json")) {
    SCOPED_TRACE(text(row, "case") + ": " + json::to_text(field(row, "value")));
    const Validator validator(field(row, "schema").as_object());
    EXPECT_EQ(lines(validator.validate_update(field(row, "value"), field(row, "old"))),
              lines(field(row, "problems")));
  }
}

TEST(Validator, KnowsTheFormatsThatTheApiServerKnows) {
  for (const json::Value& row : testing::read_cases("formats.json")) {
    SCOPED_TRACE(text(row, "case"));
    const json::Object schema{{"type", "string"}, {"format", field(row, "format")}};
    EXPECT_EQ(Validator(schema).is_valid(field(row, "value")), field(row, "valid").as_bool());
  }
}

TEST(Validator, LetsValuesWithoutTheirDefaultsStand) {
  const json::Value schema = json::parse(R"({"type": "object", "properties": {"spec": {"type": "object",
    "required": ["a", "b"], "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "integer"}}}}})")
                                 .value();
  const Validator validator(schema.as_object());
  const json::Object& spec = schema.at("properties").at("spec").as_object();
  EXPECT_TRUE(validator.may_be(json::Value{{"b", 1}}, spec));
  EXPECT_FALSE(validator.may_be(json::Value{{"a", 1}}, spec)) << "b has no default";
  EXPECT_FALSE(validator.is_valid(json::Value{{"spec", {{"b", 1}}}}))
      << "defaults have been filled in by then";
  EXPECT_FALSE(validator.may_be(json::Value{{"b", 1}}, json::Object{{"type", "object"}}))
      << "a schema that is no part of the validator's allows nothing";
}

TEST(Validator, AllowsNothingWhereItDoesNotUnderstandTheSchema) {
  for (const auto& [keyword, value] : {std::pair{"type", "text"}, {"pattern", "("}, {"pattern", "(?!a)"}}) {
    const json::Object schema{{keyword, value}};
    EXPECT_FALSE(Validator(schema).is_valid("a")) << value;
    EXPECT_FALSE(Validator(schema).validate("a").empty()) << value;
  }
}

TEST(Validator, ReportsTheSameOnce) {
  const json::Value schema =
      json::parse(R"({"allOf": [{"minimum": 5}, {"minimum": 5}], "minimum": 5})").value();
  Violations problems = Validator(schema.as_object()).validate(1);
  std::erase_if(problems,
                [](const Violation& one) { return one.message.find("greater") == std::string::npos; });
  EXPECT_EQ(problems.size(), 1u);
}

TEST(Validator, OutlivesDeepValues) {
  json::Object schema{{"type", "object"}};
  schema["additionalProperties"] = {{"type", "array"}, {"items", {{"type", "integer"}}}};
  std::string deep(500, '[');
  deep += std::string(500, ']');
  EXPECT_FALSE(Validator(schema).is_valid(json::Value{{"a", json::parse(deep).value()}}));
}

}  // namespace
}  // namespace fairway::schema
