// SPDX-License-Identifier: Apache-2.0

// What a check finds about one object, and how findings are grouped: tables in tests/conversion/data.
#include "conversion/check/findings.h"

#include <gtest/gtest.h>

#include <chrono>

#include "conversion/check/round_trip.h"
#include "conversion/check/version_schemas.h"
#include "conversion/widgets.h"

namespace fairway::conversion {
namespace {

k8s::Dynamic object_of(const json::Value& members) {
  json::Object document{{"apiVersion", "widgets.example.com/v1"}, {"kind", "Widget"}};
  for (const auto& [key, value] : members.as_object()) document[key] = value;
  return k8s::Dynamic(std::move(document));
}

json::Array as_json(const std::vector<Finding>& findings) {
  json::Array list;
  for (const Finding& finding : findings) {
    list.emplace_back(json::Object{{"kind", to_string(finding.kind)},
                                   {"cause", finding.cause},
                                   {"path", finding.path},
                                   {"detail", finding.detail}});
  }
  return list;
}

TEST(ConversionFindings, OfARoundTripAreThoseOfTheTable) {
  for (const json::Value& row : testing::read_cases("round_trips.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const json::Value* schema = json::find(row, "schema");
    const auto findings =
        compare_round_trip(object_of(testing::field(row, "own")), object_of(testing::field(row, "back")),
                           schema != nullptr ? &schema->as_object() : nullptr);
    EXPECT_EQ(json::to_text(as_json(findings)), json::to_text(testing::field(row, "findings")));
  }
}

/// Tens of thousands of items are compared at once; in quadratic time it would be minutes.
TEST(ConversionFindings, OfLongKeyedListsAreFoundInTime) {
  constexpr int most = 20'000;
  json::Array own, back;
  for (int i = 0; i < most; ++i) {
    own.emplace_back(json::Object{{"name", "item" + std::to_string(i)}, {"port", i}});
    if (i != 7) back.emplace_back(json::Object{{"name", "item" + std::to_string(i)}, {"port", i}});
  }
  const auto object = [](json::Array items) {
    return object_of(json::Object{{"spec", json::Object{{"items", std::move(items)}}}});
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto findings = compare_round_trip(object(std::move(own)), object(std::move(back)), nullptr);
  const auto taken = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().path, "spec.items[name=\"item7\"]");
  EXPECT_LT(taken, std::chrono::seconds(20));
}

TEST(ConversionFindings, OfASchemaAreThoseOfTheTable) {
  for (const json::Value& row : testing::read_cases("schema_findings.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    json::Object schema = testing::field(row, "schema").as_object();
    schema["type"] = "object";
    k8s::Dynamic definition;
    definition.set("spec.versions",
                   json::Array{json::Object{
                       {"name", "v1"}, {"schema", json::Object{{"openAPIV3Schema", std::move(schema)}}}}});
    const VersionSchemas schemas(k8s::CustomResourceDefinition(definition.json()));
    json::Array found;
    for (const Finding& finding : schemas.validate(object_of(testing::field(row, "object")), "v1")) {
      EXPECT_EQ(finding.kind, FindingKind::refused);
      EXPECT_NE(finding.detail, "");
      found.emplace_back(json::Object{{"cause", finding.cause}, {"path", finding.path}});
    }
    EXPECT_EQ(json::to_text(found), json::to_text(testing::field(row, "findings")));
    EXPECT_TRUE(schemas.validate(object_of(testing::field(row, "object")), "v2").empty());
  }
}

TEST(ConversionFindings, AreGroupedByCauseThatOfMostObjectsFirst) {
  Findings findings(2);
  const auto lost = [](const std::string& cause, const std::string& path) {
    return Finding{FindingKind::loses, cause, path, "1"};
  };
  findings.add({"n", "good"}, {});
  findings.add({"n", "a"}, {lost("x", "x[0]"), lost("x", "x[1]"), lost("y", "y")});
  findings.add({"n", "b"}, {lost("y", "y")});
  findings.add({"", "c"}, {lost("y", "y"), {FindingKind::fails, "y", {}, {}}});
  EXPECT_EQ(findings.objects(), 4);
  EXPECT_EQ(findings.faulty_objects(), 3);
  EXPECT_EQ(findings.count(FindingKind::loses), 3);
  EXPECT_EQ(findings.count(FindingKind::fails), 1);
  EXPECT_EQ(findings.count(FindingKind::refused), 0);
  const auto causes = findings.causes();
  ASSERT_EQ(causes.size(), 3U);
  EXPECT_EQ(causes[0].kind, FindingKind::fails);
  EXPECT_EQ(causes[0].examples, (std::vector<FindingExample>{{"c", "", ""}}));
  EXPECT_EQ(causes[1].cause, "y");
  EXPECT_EQ(causes[1].count, 3);
  EXPECT_EQ(causes[1].examples, (std::vector<FindingExample>{{"n/a", "y", "1"}, {"n/b", "y", "1"}}));
  EXPECT_EQ(causes[2].cause, "x");
  EXPECT_EQ(causes[2].count, 1) << "an object counts once for a cause";
}

TEST(ConversionFindings, AreBoundedAndCountedAllTheSame) {
  Findings findings(1);
  const int objects = 3 * static_cast<int>(Findings::most_causes);
  for (int i = 0; i < objects; ++i) {
    findings.add({"n", std::to_string(i)},
                 {{FindingKind::fails, "cause " + std::to_string(i), {}, std::string(100'000, 'x')}});
  }
  findings.add({"n", "last"}, {{FindingKind::loses, "another kind", {}, {}}});
  const auto causes = findings.causes();
  ASSERT_EQ(causes.size(), Findings::most_causes + 2);
  EXPECT_EQ(causes.front().cause, Findings::other_causes);
  EXPECT_EQ(causes.front().count, objects - static_cast<int>(Findings::most_causes));
  EXPECT_LE(causes.front().examples.front().detail.size(), Findings::longest_text + 10);
  EXPECT_EQ(causes.back().cause, "another kind");
  EXPECT_EQ(findings.count(FindingKind::fails), objects);
}

TEST(ConversionFindings, HaveWhatRulesOfTheSchemaRefuse) {
  k8s::Dynamic definition;
  const json::Value schema = json::parse(R"({"type": "object", "properties": {"spec": {"type": "object",
      "properties": {"least": {"type": "integer"}, "most": {"type": "integer"}},
      "x-kubernetes-validations": [{"rule": "self.least <= self.most", "message": "least is above most"},
                                   {"rule": "self.most >= oldSelf.most"}]}}})")
                                 .value();
  definition.set(
      "spec.versions",
      json::Array{json::Object{{"name", "v1"}, {"schema", json::Object{{"openAPIV3Schema", schema}}}}});
  const VersionSchemas schemas(k8s::CustomResourceDefinition(definition.json()));
  const auto validated = [&](std::string_view text) {
    return schemas.validate(k8s::Dynamic(json::parse(text).value().get_object()), "v1");
  };
  EXPECT_EQ(validated(R"({"spec": {"least": 1, "most": 2}})"), std::vector<Finding>());
  EXPECT_EQ(validated(R"({"spec": {"least": 3, "most": 2}})"),
            (std::vector<Finding>{{FindingKind::refused, "spec: Invalid value: least is above most", "spec",
                                   R"({"least":3,"most":2})"}}));
  // Rules are not evaluated for values of other types than theirs, and it is said.
  const auto of_other_type = validated(R"({"spec": {"least": "3", "most": 2}})");
  ASSERT_EQ(of_other_type.size(), 2U);
  EXPECT_EQ(of_other_type[0].path, "spec.least");
  EXPECT_EQ(of_other_type[1],
            (Finding{FindingKind::refused,
                     "the rules of the schema were not evaluated, because of the other reasons",
                     {},
                     {}}));
}

}  // namespace
}  // namespace fairway::conversion
