// SPDX-License-Identifier: Apache-2.0

// The tables hold sets of labels (or fields) first, then selectors: whether they are valid, and which sets
// they match. Validity and matches are those of Kubernetes' own library.
#include <gtest/gtest.h>

#include "k8s/data.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"

namespace fairway::k8s {
namespace {

std::vector<const json::Object*> sets_of(const json::Array& rows) {
  std::vector<const json::Object*> sets;
  for (const json::Value& row : rows) {
    if (const json::Value* set = json::find(row, "set")) sets.push_back(&set->as_object());
  }
  return sets;
}

std::string matches(const std::vector<const json::Object*>& sets, const auto& matches_set) {
  json::Array list;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (matches_set(*sets[i])) list.emplace_back(i);
  }
  return json::to_text(json::Value(list));
}

TEST(LabelSelector, SelectsAsTheTableSays) {
  const json::Array rows = testing::read_cases("label_selectors.json");
  const auto sets = sets_of(rows);
  int checked = 0;
  for (const json::Value& row : rows) {
    if (json::find(row, "set") != nullptr) continue;
    SCOPED_TRACE(json::to_text(row));
    ++checked;
    const auto text = json::find_string(row, "text");
    const auto selector =
        text ? LabelSelector::parse(*text) : LabelSelector::from(&testing::field(row, "object"));
    ASSERT_EQ(selector.has_value(), testing::field(row, "valid").as_bool())
        << (selector ? selector->to_string() : selector.error().message);
    if (!selector) continue;
    EXPECT_EQ(matches(sets, [&](const json::Object& set) { return selector->matches(StringMap(&set)); }),
              json::to_text(testing::field(row, "matches")));
    EXPECT_EQ(LabelSelector::parse(selector->to_string()), *selector) << selector->to_string();
  }
  EXPECT_GT(checked, 100);
}

TEST(LabelSelector, IsWrittenInOrderOfKeys) {
  EXPECT_EQ(LabelSelector::parse("z,x notin (b, a,b),!y,w==v,n>5, m in (q)")->to_string(),
            "m=q,n>5,w=v,x notin (a,b),!y,z");
  EXPECT_EQ(LabelSelector::everything().to_string(), "");
  EXPECT_TRUE(LabelSelector::parse(" ")->is_everything());
}

TEST(LabelSelector, OfNothingMatchesNothingOnAServerToo) {
  const json::Object labels = json::parse(R"({"nothing":"x"})").value().as_object();
  const LabelSelector nothing = LabelSelector::nothing();
  EXPECT_FALSE(nothing.matches(StringMap()));
  EXPECT_FALSE(nothing.matches(StringMap(&labels)));
  EXPECT_FALSE(nothing.is_everything());
  EXPECT_EQ(LabelSelector::parse(nothing.to_string()), nothing);
  EXPECT_EQ(LabelSelector::from(nullptr), nothing);
}

TEST(LabelSelector, ErrorsNameTheColumn) {
  for (const auto& row : fairway::testing::read_table(testing::data_path("label_selector_errors.tsv"))) {
    const auto selector = LabelSelector::parse(row.at(0));
    ASSERT_FALSE(selector) << row.at(0);
    EXPECT_EQ(selector.error().code, ErrorCode::invalid);
    EXPECT_NE(selector.error().message.find(row.at(1)), std::string::npos) << selector.error().message;
  }
}

TEST(LabelSelector, ErrorsNameTheField) {
  const auto error = [](std::string_view text) {
    const json::Value value = json::parse(text).value();
    return LabelSelector::from(&value, "spec.selector").error().message;
  };
  EXPECT_EQ(error(R"({"matchLabel":{}})"), "spec.selector: there is no field 'matchLabel' here");
  EXPECT_EQ(error(R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"a","operator":"Gt"}]})"),
            "spec.selector.matchExpressions[1].operator: 'Gt' is not an operator; use In, NotIn, Exists or "
            "DoesNotExist");
  EXPECT_EQ(error(R"({"matchExpressions":[{"key":"a","operator":"In"}]})"),
            "spec.selector.matchExpressions[0].values: In needs at least one value");
  EXPECT_EQ(error(R"({"matchLabels":{"a":1}})"),
            "spec.selector.matchLabels: the value of 'a' must be a text");
}

TEST(FieldSelector, SelectsAsTheTableSays) {
  const json::Array rows = testing::read_cases("field_selectors.json");
  const auto sets = sets_of(rows);
  for (const json::Value& row : rows) {
    if (json::find(row, "set") != nullptr) continue;
    SCOPED_TRACE(json::to_text(row));
    const auto selector = FieldSelector::parse(testing::text(row, "text"));
    ASSERT_EQ(selector.has_value(), testing::field(row, "valid").as_bool())
        << (selector ? selector->to_string() : selector.error().message);
    if (!selector) continue;
    // The table's fields are flat, an object's are not.
    const auto matches_set = [&](const json::Object& set) {
      json::Object object;
      for (const auto& [path, value] : set) Editor(object).set(path, value);
      return selector->matches(View(object));
    };
    EXPECT_EQ(matches(sets, matches_set), json::to_text(testing::field(row, "matches")));
    EXPECT_EQ(FieldSelector::parse(selector->to_string()), *selector) << selector->to_string();
  }
}

TEST(FieldSelector, ComparesTexts) {
  const json::Object object =
      json::parse(R"({"spec":{"n":5,"on":true,"none":null,"list":[],"text":"t"}})").value().as_object();
  for (const char* text : {"spec.n=5", "spec.on=true", "spec.none=", "spec.missing=", "spec.text!=5",
                           "spec.list!=", "spec.text=t,spec.n!=6"}) {
    EXPECT_TRUE(FieldSelector::parse(text)->matches(View(object))) << text;
  }
  for (const char* text : {"spec.n=5.0", "spec.list=", "spec.list=[]", "spec=", "spec.text=t,spec.n=6"}) {
    EXPECT_FALSE(FieldSelector::parse(text)->matches(View(object))) << text;
  }
}

TEST(FieldSelector, ComparesAbsentBooleansOfCoreKindsAsServersDo) {
  const auto matches = [](std::string_view document, std::string_view selector) {
    const json::Value object = json::parse(document).value();
    return FieldSelector::parse(selector)->matches(View(object.get_object()));
  };
  const std::string_view node = R"({"apiVersion":"v1","kind":"Node","spec":{}})";
  EXPECT_TRUE(matches(node, "spec.unschedulable=false"));
  EXPECT_FALSE(matches(node, "spec.unschedulable!=false"));
  EXPECT_FALSE(matches(node, "spec.unschedulable="));
  EXPECT_TRUE(matches(R"({"apiVersion":"v1","kind":"Pod"})", "spec.hostNetwork=false"));
  EXPECT_FALSE(
      matches(R"({"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":true}})", "spec.hostNetwork=false"));
  EXPECT_FALSE(matches(R"({"apiVersion":"example.com/v1","kind":"Node"})", "spec.unschedulable=false"))
      << "fields of custom resources are empty where they are absent";
}

TEST(FieldSelector, ErrorsNameTheColumn) {
  const auto error = [](std::string_view text) { return FieldSelector::parse(text).error().message; };
  EXPECT_NE(error("a=b,c").find("column 6: expected =, == or !="), std::string::npos) << error("a=b,c");
  EXPECT_NE(error("=b").find("column 1: expected the path"), std::string::npos);
  EXPECT_NE(error("a =b").find("column 2: the path of a field has no blanks"), std::string::npos);
  EXPECT_NE(error("a=b=c").find("column 4: a value has no = without"), std::string::npos);
  EXPECT_NE(error("a=b\\x").find("column 4: \\ stands before"), std::string::npos);
}

}  // namespace
}  // namespace fairway::k8s
