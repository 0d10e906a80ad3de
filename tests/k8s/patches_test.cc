// SPDX-License-Identifier: Apache-2.0

// Patches: the tables are tests/k8s/data/*_patch*.json.
#include <gtest/gtest.h>

#include <random>

#include "k8s/data.h"
#include "k8s/equality.h"
#include "k8s/internal/patch/apply_document.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/json_pointer.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"

namespace fairway::k8s {
namespace {

json::Value parse(std::string_view text) {
  return json::parse(text).value();
}

/// Returns a random document with few names, so that two of them have much in common.
json::Value random_value(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  switch (pick(depth > 0 ? 8 : 4)) {
    case 0:
      return pick(3);
    case 1:
      return json::Value(std::string(1, static_cast<char>('x' + pick(3))));
    case 2:
      return pick(2) == 0;
    case 3:
      return nullptr;
    case 4:
    case 5: {
      json::Array list;
      for (int i = pick(4); i > 0; --i) list.push_back(random_value(random, depth - 1));
      return json::Value(std::move(list));
    }
    default: {
      json::Object object;
      for (int i = pick(5); i > 0; --i) {
        object[std::string(1, "ab~/"[pick(4)])] = random_value(random, depth - 1);
      }
      return json::Value(std::move(object));
    }
  }
}

TEST(JsonPatch, IsAppliedAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("json_patch.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const auto result = apply_json_patch(testing::field(row, "document"), testing::field(row, "patch"));
    if (const auto error = json::find_string(row, "error")) {
      ASSERT_FALSE(result) << json::to_text(*result);
      EXPECT_EQ(to_string(result.error().code), *error) << result.error().message;
      const std::string says(json::find_string(row, "says").value_or(""));
      EXPECT_NE(result.error().message.find(says), std::string::npos) << result.error().message;
    } else {
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(json::to_text(*result), json::to_text(testing::field(row, "result")));
    }
  }
}

TEST(JsonPatch, HasLimits) {
  const auto code = [](const json::Value& document, const json::Value& patch, const PatchLimits& limits) {
    const auto result = apply_json_patch(document, patch, limits);
    return result ? "none" : to_string(result.error().code);
  };
  const json::Value copy = parse(R"([{"op":"copy","from":"/a","path":"/b"}])");
  const json::Value document = parse(R"({"a":{"x":"0123456789"}})");
  EXPECT_EQ(code(document, copy, {}), "none");
  EXPECT_EQ(code(document, copy, {.copied_bytes = 15}), "too_large");
  EXPECT_EQ(code(document, copy, {.depth = 1}), "too_large");
  EXPECT_EQ(code(document, copy, {.operations = 0}), "too_large");

  // Each copies all that is there so far: 2^40 in the end.
  json::Array doubling;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "/a/x" + std::to_string(i);
    doubling.push_back(json::Value{{"op", "copy"}, {"from", "/a"}, {"path", name}});
  }
  EXPECT_EQ(code(document, json::Value(doubling), {}), "too_large");

  // Each moves all that is there so far one deeper.
  json::Array digging;
  for (int i = 0; i < 100; ++i) {
    digging.push_back(parse(R"({"op":"move","from":"/a","path":"/b"})"));
    digging.push_back(parse(R"({"op":"add","path":"/a","value":{}})"));
    digging.push_back(parse(R"({"op":"move","from":"/b","path":"/a/a"})"));
  }
  EXPECT_EQ(code(parse(R"({"a":{}})"), json::Value(digging), {}), "too_large");

  // Each shifts a large list by one.
  json::Array large(10'000, json::Value(0));
  json::Array shifting;
  for (int i = 0; i < 10'000; ++i) shifting.push_back(parse(R"({"op":"add","path":"/0","value":1})"));
  EXPECT_EQ(code(json::Value(large), json::Value(shifting), {}), "too_large");
}

TEST(JsonPatch, BetweenTwoDocumentsMakesTheOne) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const json::Value from = random_value(random, 4), to = random_value(random, 4);
    const json::Value patch(json_patch_between(from, to));
    const auto result = apply_json_patch(from, patch);
    ASSERT_TRUE(result) << result.error().message;
    ASSERT_TRUE(equal(*result, to)) << json::to_text(from) << " " << json::to_text(to) << " "
                                    << json::to_text(patch);
    ASSERT_TRUE(json_patch_between(from, from).empty());
  }
  EXPECT_EQ(json::to_text(json::Value(json_patch_between(parse(R"({"a":1,"b":{"c/d":[1,2]},"e":[1]})"),
                                                         parse(R"({"b":{"c/d":[1,3],"n":{}},"e":[]})")))),
            R"([{"op":"remove","path":"/a"},{"op":"replace","path":"/b/c~1d/1","value":3},)"
            R"({"op":"add","path":"/b/n","value":{}},{"op":"replace","path":"/e","value":[]}])");
}

TEST(JsonPointer, EscapesNames) {
  EXPECT_EQ(json_pointer({"metadata", "annotations", "a~b/c"}), "/metadata/annotations/a~0b~1c");
  EXPECT_EQ(json_pointer({}), "");
  EXPECT_EQ(parse_json_pointer("/metadata/a~0b~1c//").value(),
            (std::vector<std::string>{"metadata", "a~b/c", "", ""}));
}

TEST(MergePatch, IsAppliedAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("merge_patch.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const auto result = apply_merge_patch(testing::field(row, "document"), testing::field(row, "patch"));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(json::to_text(*result), json::to_text(testing::field(row, "result")));
  }
}

TEST(MergePatch, BetweenTwoDocumentsIsAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("merge_patch_between.json")) {
    const json::Value &from = testing::field(row, "from"), &to = testing::field(row, "to");
    const auto patch = merge_patch_between(from.as_object(), to.as_object());
    if (const auto error = json::find_string(row, "error")) {
      ASSERT_FALSE(patch) << json::to_text(row) << json::to_text(*patch);
      EXPECT_NE(patch.error().message.find(*error), std::string::npos) << patch.error().message;
      // A JSON patch can say it.
      const json::Value list(json_patch_between(from, to));
      EXPECT_TRUE(equal(apply_json_patch(from, list).value(), to)) << json::to_text(list);
      continue;
    }
    ASSERT_TRUE(patch) << patch.error().message;
    EXPECT_EQ(json::to_text(*patch), json::to_text(testing::field(row, "patch"))) << json::to_text(row);
    EXPECT_TRUE(equal(*apply_merge_patch(from, json::Value(*patch)), to)) << json::to_text(row);
  }
}

TEST(MergePatch, BetweenTwoDocumentsMakesTheOneOrSaysThatItCannot) {
  std::mt19937 random(2);
  int made = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const json::Value from = random_value(random, 4), to = random_value(random, 4);
    if (!from.is_object() || !to.is_object()) continue;
    const auto patch = merge_patch_between(from.get_object(), to.get_object());
    if (!patch) {
      ASSERT_NE(json::to_text(to).find("null"), std::string::npos) << patch.error().message;
      ++refused;
      continue;
    }
    ++made;
    const auto result = apply_merge_patch(from, json::Value(*patch));
    ASSERT_TRUE(equal(*result, to)) << json::to_text(from) << " " << json::to_text(to) << " "
                                    << json::to_text(*patch);
    ASSERT_TRUE(merge_patch_between(result->as_object(), to.get_object()).value().empty());
  }
  EXPECT_GT(made, 500);
  EXPECT_GT(refused, 100);
}

TEST(MergePatch, IsNotNestedTooDeep) {
  json::Value patch = 1;
  for (int i = 0; i < 10; ++i) patch = json::Value{{"a", std::move(patch)}};
  EXPECT_TRUE(apply_merge_patch(json::Object{}, patch, {.depth = 10}));
  EXPECT_EQ(apply_merge_patch(json::Object{}, patch, {.depth = 9}).error().code, ErrorCode::too_large);
}

TEST(MergePatch, RemovesManyMembersInLittleTime) {
  json::Object document, patch;
  for (int i = 0; i < 200'000; ++i) {
    document[std::to_string(i)] = i;
    patch[std::to_string(i)] = nullptr;
  }
  EXPECT_TRUE(apply_merge_patch(std::move(document), json::Value(std::move(patch)))->as_object().empty());
}

TEST(StrategicPatch, IsAppliedAsTheTableSays) {
  const std::map<std::string, std::string, std::less<>> groups = {{"Deployment", "apps"},
                                                                  {"PodDisruptionBudget", "policy"}};
  for (const json::Value& row : testing::read_cases("strategic_patch.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const std::string kind = testing::text(row, "kind");
    const auto group = groups.find(kind);
    const PatchSchema* schema = PatchSchema::of({group != groups.end() ? group->second : "", kind});
    ASSERT_NE(schema, nullptr);
    const auto result =
        apply_strategic_patch(testing::field(row, "document"), testing::field(row, "patch"), *schema);
    if (const auto error = json::find_string(row, "error")) {
      ASSERT_FALSE(result) << json::to_text(*result);
      EXPECT_EQ(result.error().code, ErrorCode::invalid);
      EXPECT_NE(result.error().message.find(*error), std::string::npos) << result.error().message;
    } else {
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(json::to_text(*result), json::to_text(testing::field(row, "result")));
    }
  }
}

TEST(StrategicPatch, IsForBuiltInKindsOnly) {
  EXPECT_EQ(PatchSchema::of({"example.com", "Widget"}), nullptr);
  EXPECT_EQ(PatchSchema::of({"", "Deployment"}), nullptr);
  const PatchSchema* role = PatchSchema::of({"rbac.authorization.k8s.io", "Role"});
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(role->find("rules"), nullptr);
  ASSERT_NE(role->find("metadata"), nullptr);
  EXPECT_EQ(role->find("metadata")->type->find("ownerReferences")->merge_key, "uid");
}

TEST(StrategicPatch, MergesLongListsInLittleTime) {
  json::Array first, second;
  for (int i = 0; i < 50'000; ++i) {
    first.push_back(json::Value{{"name", std::to_string(i)}});
    second.push_back(json::Value{{"name", std::to_string(i + 25'000)}, {"namespace", "n"}});
  }
  const json::Value document{{"secrets", std::move(first)}}, patch{{"secrets", std::move(second)}};
  const auto result = apply_strategic_patch(document, patch, *PatchSchema::of({"", "ServiceAccount"}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(json::find(*result, "secrets")->as_array().size(), 75'000U);
}

TEST(StrategicPatch, IsNotNestedTooDeep) {
  json::Value patch = 1;
  for (int i = 0; i < 10; ++i) patch = json::Value{{"a", std::move(patch)}};
  const PatchSchema& schema = *PatchSchema::of({"", "Pod"});
  EXPECT_TRUE(apply_strategic_patch(json::Object{}, patch, schema, {.depth = 10}));
  EXPECT_EQ(apply_strategic_patch(json::Object{}, patch, schema, {.depth = 9}).error().code,
            ErrorCode::too_large);
}

TEST(ApplyDocument, HasNothingOfTheServers) {
  const Dynamic object =
      Dynamic::parse(
          R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","namespace":"s","uid":"u","resourceVersion":"1",
          "generation":2,"creationTimestamp":null,"managedFields":[{}],"labels":{"a":"b"}},
          "spec":{"x":1},"status":{"y":2}})")
          .value();
  EXPECT_EQ(
      apply_document(object).to_text(),
      R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","namespace":"s","labels":{"a":"b"}},"spec":{"x":1}})");
  EXPECT_EQ(apply_document(object, ApplyTo::status).to_text(),
            R"({"apiVersion":"v1","kind":"K","metadata":{"name":"n","namespace":"s"},"status":{"y":2}})");
}

}  // namespace
}  // namespace fairway::k8s
