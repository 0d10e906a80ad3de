// SPDX-License-Identifier: Apache-2.0

// What a schema does to whole objects: pruning, defaults, lists that are sets or maps, embedded objects.
#include <gtest/gtest.h>

#include "k8s/equality.h"
#include "schema/cases.h"
#include "schema/defaults.h"
#include "schema/list_types.h"
#include "schema/metadata.h"
#include "schema/prune.h"
#include "schema/prune_metadata.h"

namespace fairway::schema {
namespace {

using testing::field, testing::lines, testing::text;

TEST(Prune, RemovesAndReportsWhatTheApiServerDoes) {
  for (const json::Value& row : testing::read_cases("prune.json")) {
    SCOPED_TRACE(text(row, "case"));
    json::Object object = field(row, "value").as_object();
    EXPECT_EQ(lines(prune(object, field(row, "schema").as_object())), lines(field(row, "dropped")));
    EXPECT_TRUE(k8s::equal(json::Value(object), field(row, "result"))) << json::to_text(object);
    EXPECT_TRUE(prune(object, field(row, "schema").as_object()).empty()) << "twice is once";
  }
}

TEST(PruneMetadata, RemovesAndReportsWhatTheApiServerDoes) {
  for (const json::Value& row : testing::read_cases("prune_metadata.json")) {
    SCOPED_TRACE(text(row, "case"));
    json::Object object = field(row, "value").as_object();
    EXPECT_EQ(lines(prune_metadata(object, field(row, "schema").as_object())), lines(field(row, "dropped")));
    EXPECT_TRUE(k8s::equal(json::Value(object), field(row, "result"))) << json::to_text(object);
    EXPECT_TRUE(prune_metadata(object, field(row, "schema").as_object()).empty()) << "twice is once";
  }
}

TEST(Prune, NamesWhatItRemovesUpToABound) {
  // Each path is as long as the key above: all of them would be gigabytes.
  constexpr int members = 20'000;
  json::Object inner;
  for (int i = 0; i < members; ++i) inner[std::to_string(i)] = i;
  json::Object object{{"map", json::Object{{std::string(100'000, 'x'), std::move(inner)}}}};
  const json::Value schema =
      json::parse(R"({"type":"object","properties":{"map":{"type":"object","additionalProperties":
        {"type":"object","properties":{"known":{"type":"string"}}}}}})")
          .value();
  const auto removed = prune(object, schema.as_object());
  EXPECT_GT(removed.size(), 5U);
  EXPECT_LT(removed.size(), 20U);
  EXPECT_TRUE(object["map"].as_object().begin()->value().as_object().empty());
}

TEST(Defaults, AreFilledInAsTheApiServerDoes) {
  for (const json::Value& row : testing::read_cases("defaults.json")) {
    SCOPED_TRACE(text(row, "case"));
    json::Object object = field(row, "value").as_object();
    const bool changed = fill_in_defaults(object, field(row, "schema").as_object()).value();
    EXPECT_TRUE(k8s::equal(json::Value(object), field(row, "result"))) << json::to_text(object);
    EXPECT_EQ(changed, !k8s::equal(field(row, "value"), field(row, "result")));
    EXPECT_FALSE(fill_in_defaults(object, field(row, "schema").as_object()).value()) << "twice is once";
  }
}

TEST(Defaults, AreFilledInBesideNullsThatAreForValidation) {
  const json::Value schema = json::parse(R"({"type":"object","properties":{"a":{"type":"string"},
    "b":{"type":"integer","default":1},"c":{"type":"object","properties":{"d":{"type":"string"}}}}})")
                                 .value();
  const auto filled = [&](const char* text, Nulls nulls) {
    json::Object object = json::parse(text).value().as_object();
    EXPECT_TRUE(fill_in_defaults(object, schema.as_object(), max_default_values, nulls));
    return json::to_text(object);
  };
  constexpr const char* given = R"({"a":null,"b":null,"c":{"d":null}})";
  EXPECT_EQ(filled(given, Nulls::kept), R"({"a":null,"b":1,"c":{"d":null}})");
  EXPECT_EQ(filled(given, Nulls::removed), R"({"b":1,"c":{}})");
  json::Object object = json::parse(given).value().as_object();
  EXPECT_TRUE(remove_nulls(object, schema.as_object()));
  EXPECT_EQ(json::to_text(object), R"({"b":null,"c":{}})");
  EXPECT_FALSE(remove_nulls(object, schema.as_object()));
}

TEST(Defaults, DoNotGrowWithoutBound) {
  // Ten items of ten items, and so on: 10^8 numbers out of one small schema.
  json::Value schema{{"type", "integer"}, {"default", 1}};
  for (int depth = 0; depth < 8; ++depth) {
    json::Array ten(10, json::Value(json::Object{}));
    schema = {{"type", "object"},
              {"properties", {{"x", {{"type", "array"}, {"items", schema}, {"default", ten}}}}}};
  }
  json::Object object;
  const auto filled = fill_in_defaults(object, schema.as_object());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, ErrorCode::too_large) << filled.error().message;
}

TEST(ListTypes, ReportWhatTheApiServerReports) {
  for (const json::Value& row : testing::read_cases("list_types.json")) {
    SCOPED_TRACE(text(row, "case"));
    EXPECT_EQ(lines(check_list_types(field(row, "value").as_object(), field(row, "schema").as_object())),
              lines(field(row, "problems")));
  }
}

TEST(EmbeddedObjects, ReportWhatTheApiServerReports) {
  for (const json::Value& row : testing::read_cases("metadata.json")) {
    SCOPED_TRACE(text(row, "case") + ": " + json::to_text(field(row, "value")));
    EXPECT_EQ(
        lines(check_embedded_objects(field(row, "value").as_object(), field(row, "schema").as_object())),
        lines(field(row, "problems")));
  }
}

TEST(EmbeddedObjects, MayHaveOnlySoManyBytesOfAnnotations) {
  const auto with_annotation = [](std::size_t bytes) {
    return json::Object{{"apiVersion", "v1"},
                        {"kind", "Pod"},
                        {"metadata", {{"annotations", {{"a", std::string(bytes, 'x')}}}}}};
  };
  EXPECT_TRUE(check_headers(with_annotation(262143)).empty());
  EXPECT_EQ(lines(check_headers(with_annotation(262144), "spec")),
            "spec.metadata.annotations | FieldValueTooLong | Too long: may not be more than 262144 bytes\n");
}

}  // namespace
}  // namespace fairway::schema
