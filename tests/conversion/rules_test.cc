// SPDX-License-Identifier: Apache-2.0

// Converters as data, and files converted by them.
#include "conversion/rules.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/yaml.h"
#include "conversion/documents.h"
#include "conversion/widgets.h"
#include "k8s/equality.h"
#include "testing/round_trip.h"

namespace fairway::conversion {
namespace {

using testing::field;
using testing::widget;

std::string read(const std::string& name) {
  return read_file(std::string(FAIRWAY_SOURCE_DIR) + "/tests/conversion/data/" + name).value();
}

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

TEST(Rules, ConvertAsTheFunctionsDo) {
  Converters functions, rules;
  testing::add_widgets(functions).keep_lost_fields();
  ASSERT_TRUE(functions.prepare());
  const auto added = add_rules(read("widgets-rules.yaml"), rules);
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(rules.prepare());
  for (const json::Value& row : testing::read_cases("lost_fields.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const k8s::Dynamic object = widget("v1", field(row, "v1"));
    const auto expected = functions.convert(object, "v1alpha1"),
               converted = rules.convert(object, "v1alpha1");
    ASSERT_TRUE(expected && converted) << converted.error().message;
    EXPECT_TRUE(k8s::equal(json::Value(converted->json()), json::Value(expected->json())))
        << converted->to_text();
  }
}

TEST(Rules, GoThereAndBack) {
  Converters converters;
  ASSERT_TRUE(add_rules(read("widgets-rules.yaml"), converters));
  const auto parsed = yaml::parse(read("widgets-crd.yaml"));
  const k8s::CustomResourceDefinition crd(yaml::to_json(parsed->documents.at(0)).as_object());
  ASSERT_TRUE(converters.prepare({crd}));
  const auto failures = fairway::testing::check_round_trips(converters, crd, {.objects = 1000});
  EXPECT_TRUE(failures.empty()) << failures.front();
}

TEST(Rules, MoveTranslateAndFillIn) {
  Converters converters;
  const auto added = add_rules(R"(
group: widgets.example.com
kind: Widget
steps:
- older: v1
  newer: v2
  fields:
  - {older: spec.a.b, newer: spec.c}
  - {older: "spec.ports[].port", newer: "spec.ports[].number"}
  - {older: "spec.ports[].deep.list[].x", newer: "spec.ports[].deep.list[].y.z"}
  - {older: spec.tier, newer: spec.class, values: [{older: small, newer: 1}, {older: large, newer: 2}]}
  - {newer: spec.replicas, default: 1}
  - {older: spec.legacy, default: {on: false}}
  - {older: 'spec["x.y"]', newer: spec.xy}
)",
                               converters);
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(converters.prepare());
  const auto newer = converters.convert(
      widget("v1", parse(R"({"a":{"b":[1]},"ports":[{"port":1,"deep":{"list":[{"x":1},2,{}]}},"odd"],
                             "tier":"large","legacy":{"on":true},"x.y":"q","other":null})")),
      "v2");
  ASSERT_TRUE(newer) << newer.error().message;
  EXPECT_TRUE(k8s::equal(*newer->find("spec"),
                         parse(R"({"ports":[{"deep":{"list":[{"y":{"z":1}},2,{}]},"number":1},"odd"],
                                   "other":null,"c":[1],"class":2,"replicas":1,"xy":"q"})")))
      << newer->to_text();
  const auto older = converters.convert(*newer, "v1");
  ASSERT_TRUE(older);
  EXPECT_TRUE(k8s::equal(*older->find("spec"),
                         parse(R"({"a":{"b":[1]},"ports":[{"port":1,"deep":{"list":[{"x":1},2,{}]}},"odd"],
                                   "tier":"large","legacy":{"on":false},"x.y":"q","other":null})")))
      << older->to_text();

  const auto unknown = converters.convert(widget("v1", parse(R"({"tier":"huge"})")), "v2");
  ASSERT_FALSE(unknown);
  EXPECT_NE(
      unknown.error().message.find(R"(spec.tier: "huge" has no counterpart; there are "small", "large")"),
      std::string::npos)
      << unknown.error().message;
}

TEST(Rules, ThatAreWrongAreNamed) {
  const std::string head = "group: g.io\nkind: A\n";
  const auto with_field = [&](const std::string& rule) {
    return head + "steps:\n- older: v1\n  newer: v2\n  fields:\n  - " + rule + "\n";
  };
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "line 1: expected a mapping with group, kind"},
           {"kind: A\nsteps: []", "group is missing"},
           {"group: a\nsteps: []", "kind is missing"},
           {head, "steps must be a list"},
           {head + "stpes: []", "line 3: 'stpes' is not known"},
           {head + "kind: B\nsteps: []", "'kind' is there twice"},
           {head + "keepLostFields: maybe\nsteps: []", "keepLostFields must be true or false"},
           {head + "steps: []\n---\n" + head + "steps: []", "A.g.io has converters already"},
           {head + "steps: [{older: v1}]", "newer is missing"},
           {head + "steps: [{older: v1, newer: v1}]", "are the same version"},
           {with_field("{}"), "older or newer is missing"},
           {with_field("{older: spec..a}"), "line 7: field path"},
           {with_field("{older: 'spec[0]'}"), "write [] for each item"},
           {with_field("{older: metadata.name}"), "metadata is not for rules to change"},
           {with_field("{older: 'spec.a[].x', newer: spec.x}"), "within the same list"},
           {with_field("{older: spec.a, newer: spec.b, default: 1}"),
            "a default is for a field that only one"},
           {with_field("{older: spec.a, values: []}"), "values are for a field that both"},
           {with_field("{older: spec.a, newer: spec.b, values: [{older: 1}]}"),
            "a value needs older and newer"}}) {
    Converters converters;
    const auto added = add_rules(text, converters);
    ASSERT_FALSE(added) << text;
    EXPECT_NE(added.error().message.find(says), std::string::npos) << added.error().message;
  }
}

TEST(Documents, AreConvertedOneByOne) {
  Converters converters;
  ASSERT_TRUE(add_rules(read("widgets-rules.yaml"), converters));
  ASSERT_TRUE(converters.prepare());
  const std::string one =
      "apiVersion: widgets.example.com/v1beta1\nkind: Widget\nmetadata: {name: a}\nspec: {size: S}\n";
  const auto alone = convert_documents(converters, {{"a.yaml", one}}, "v1");
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(json::to_text(*alone),
            R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"a"},)"
            R"("spec":{"capacity":{"size":"S"}}})");
  const auto two = convert_documents(converters, {{"a.yaml", one + "---\n---\n" + one}}, "v1");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->at("items").as_array().size(), 2U);
  const auto list = convert_documents(converters, {{"a.yaml", json::to_text(*two)}}, "v1alpha1");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(json::to_text(list->at("items").at(1).at("spec")), R"({"size":"S"})");

  // An API server's list of a kind, whose items have no types of their own.
  const auto typeless =
      convert_documents(converters,
                        {{"a.json", R"({"kind": "WidgetList", "apiVersion": "widgets.example.com/v1beta1",)"
                                    R"("metadata": {"resourceVersion": "7"},)"
                                    R"("items": [{"metadata": {"name": "a"}, "spec": {"size": "S"}}]})"}},
                        "v1");
  ASSERT_TRUE(typeless) << typeless.error().message;
  EXPECT_EQ(json::to_text(typeless->at("items")), "[" + json::to_text(*alone) + "]");
  const auto empty = convert_documents(
      converters, {{"a.yaml", "kind: WidgetList\napiVersion: widgets.example.com/v1beta1\nitems: []\n"}},
      "v1");
  ASSERT_TRUE(empty) << empty.error().message;
  EXPECT_TRUE(empty->at("items").as_array().empty());

  // The objects of all files, in one List; a List stays one.
  const auto files =
      convert_documents(converters, {{"a.yaml", one}, {"b.json", json::to_text(*alone)}}, "v1");
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ(files->at("items").as_array().size(), 2U);
  const auto faulty = convert_documents(converters, {{"a.yaml", one}, {"b.yaml", "---\n"}}, "v1");
  ASSERT_FALSE(faulty);
  EXPECT_EQ(faulty.error().message, "b.yaml: there are no objects in it");

  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "there are no objects"},
           {one + "---\nkind: A\n", "the document at line 6: an API object must have"},
           {one + "---\napiVersion: a/v1\nkind: B\nmetadata: {name: x}\n",
            "B x (a/v1): there are no converters"},
           {"apiVersion: widgets.example.com/v1beta1\nkind: AllowList\nmetadata: {name: x}\nitems: []\n",
            "AllowList x (widgets.example.com/v1beta1): there are no converters"},
           {"apiVersion: a/v1\nkind: AllowList\nmetadata: {name: x}\nitems: [{port: 1}]\n",
            "AllowList x (a/v1): there are no converters"},
           {one + "spec: {size: M}\n", "line 5: 'spec' stands here again; it was set at line 4"},
           {"{", "line "}}) {
    const auto failed = convert_documents(converters, {{"a.yaml", text}}, "v1");
    ASSERT_FALSE(failed) << text;
    EXPECT_NE(failed.error().message.find(says), std::string::npos) << failed.error().message;
  }
}

}  // namespace
}  // namespace fairway::conversion
