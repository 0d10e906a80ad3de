// SPDX-License-Identifier: Apache-2.0

#include "payload/manifest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::payload {
namespace {

std::string config_map(const std::string& name) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  namespace: default\n";
}

/// Returns "file#document:line kind "name"" of each manifest.
std::vector<std::string> places(const release::Files& files) {
  const auto manifests = read_manifests(files);
  if (!manifests) return {manifests.error().message};
  std::vector<std::string> all;
  for (const Manifest& manifest : *manifests) {
    all.push_back(manifest.file + "#" + std::to_string(manifest.document) + ":" +
                  std::to_string(manifest.line) + " " + manifest.id().to_string());
  }
  return all;
}

TEST(ManifestsTest, AreReadInTheOrderOfFilesAndDocuments) {
  EXPECT_EQ(places({{"0000_20_b.yaml", config_map("b1") + "---\n# nothing\n---\n" + config_map("b2")},
                    {"0000_10_a.json", R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})"},
                    {"release-metadata", "{}"},
                    {"README.txt", "not: [yaml"},
                    {"0000_30_c.yml", ""}}),
            (std::vector<std::string>{"0000_10_a.json#1:1 namespace \"a\"",
                                      "0000_20_b.yaml#1:1 configmap \"default/b1\"",
                                      "0000_20_b.yaml#2:9 configmap \"default/b2\""}));
}

TEST(ManifestsTest, ListsAreTakenApart) {
  EXPECT_EQ(places({{"a.yaml", R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: a}}
- apiVersion: v1
  kind: ConfigMapList
  items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: a}}
)"}}),
            (std::vector<std::string>{"a.yaml#1:1 namespace \"a\"", "a.yaml#1:1 configmap \"a/b\""}));
}

TEST(ManifestsTest, FaultsNameFileAndDocument) {
  struct Row {
    std::string text, fault;
  };
  const std::vector<Row> rows{
      {"kind: [A", "a.yaml: "},
      {"just text", "a.yaml, document 1 (line 1): it is no object"},
      {"- 1", "it is no object"},
      {config_map("a") + "---\nkind: A\nmetadata: {name: a}",
       "a.yaml, document 2 (line 7): it has no apiVersion"},
      {"apiVersion: a/b/c\nkind: A\nmetadata: {name: a}", "a/b/c"},
      {"apiVersion: ../v1\nkind: A\nmetadata: {name: a}", "its apiVersion or kind is no name"},
      {"apiVersion: v1\nmetadata: {name: a}", "it has no kind"},
      {"apiVersion: v1\nkind: A", "it has no metadata.name"},
      {"apiVersion: v1\nkind: A\nmetadata: {name: 12}", "it has no metadata.name"},
      {"apiVersion: v1\nkind: A\nmetadata: {generateName: a-}", "a release names its objects"},
      {"apiVersion: v1\nkind: A\nmetadata: {name: ../a}", "metadata.name \"../a\""},
      {"apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: A/b}", "metadata.namespace \"A/b\""},
      {"apiVersion: v1\nkind: A\nkind: B\nmetadata: {name: a}", "a.yaml: "},
      {"apiVersion: v1\nkind: List\nitems: [1]", "it is no object"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    const auto manifests = read_manifests({{"a.yaml", row.text}});
    ASSERT_FALSE(manifests);
    EXPECT_EQ(manifests.error().code, ErrorCode::invalid);
    EXPECT_TRUE(manifests.error().message.contains(row.fault)) << manifests.error().message;
  }
}

TEST(ManifestsTest, HaveLimits) {
  std::string nested = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  for (int i = 0; i < 6; ++i) nested = "{apiVersion: v1, kind: List, items: [" + nested + "]}";
  const auto deep = read_manifests({{"a.yaml", nested}});
  ASSERT_FALSE(deep);
  EXPECT_TRUE(deep.error().message.contains("nested too deeply")) << deep.error().message;

  std::string items;
  for (int i = 0; i <= 20'000; ++i) items += R"({"apiVersion":"v1","kind":"A","metadata":{"name":"a"}},)";
  items.pop_back();
  const auto many =
      read_manifests({{"a.json", R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}"}});
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code, ErrorCode::too_large);

  // Faults are told, but not without end.
  release::Files wrong;
  for (int i = 0; i < 100; ++i) wrong["f" + std::to_string(i) + ".yaml"] = "text";
  const auto faults = read_manifests(wrong);
  ASSERT_FALSE(faults);
  EXPECT_LT(faults.error().message.size(), 1000U);
}

TEST(ImageReferencesTest, AreReadOrRefused) {
  const auto read = [](const std::string& text) {
    return read_image_references({{"image-references", text}}, "4.7.4");
  };
  const std::string head = R"({"apiVersion":"image.openshift.io/v1","kind":"ImageStream")";
  EXPECT_EQ(read_image_references({}, "4.7.4").value().size(), 0U);
  EXPECT_EQ(read(head + R"(,"metadata":{"name":"4.7.4"},"spec":{"tags":[)"
                        R"({"name":"a","from":{"name":"q.io/a@sha256:1"}}]}})")
                .value(),
            (std::map<std::string, std::string>{{"a", "q.io/a@sha256:1"}}));
  const auto code = [&](const std::string& text) {
    const auto images = read(text);
    return images ? "none" : std::string(to_string(images.error().code));
  };
  EXPECT_EQ(code("{}"), "invalid");
  EXPECT_EQ(code("nothing"), "invalid");
  EXPECT_EQ(code("[]"), "invalid");
  EXPECT_EQ(code(head + R"(,"metadata":{"name":"4.7.5"}})"), "conflict");
  EXPECT_EQ(code(head + R"(,"spec":{"tags":[{"name":"a"}]}})"), "invalid");
  EXPECT_EQ(
      code(head + R"(,"spec":{"tags":[{"name":"a","from":{"name":"x"}},{"name":"a","from":{"name":"y"}}]}})"),
      "invalid");
}

}  // namespace
}  // namespace fairway::payload
