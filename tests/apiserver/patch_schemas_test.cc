// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/patch_schemas.h"

#include <gtest/gtest.h>

#include <set>

#include "apiserver/internal/kinds/kinds.h"
#include "apiserver/internal/kinds/resources.h"

namespace fairway::apiserver {
namespace {

json::Value patched(const k8s::GroupVersionKind& kind, std::string_view document, std::string_view patch) {
  const auto result = k8s::apply_strategic_patch(*json::parse(document), *json::parse(patch),
                                                 *kinds::find_patch_schema(kind));
  if (!result) throw std::runtime_error(result.error().message);
  return *result;
}

TEST(PatchSchemas, MergeListsByTheirKeys) {
  EXPECT_EQ(
      json::to_text(patched(
          {"apps", "v1", "Deployment"},
          R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]}}}})",
          R"({"spec":{"template":{"spec":{"containers":[{"name":"b","image":"z"},{"name":"c"}]}}}})")),
      R"({"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","image":"z"},{"name":"c"}]}}}})");
  EXPECT_EQ(json::to_text(patched({"", "v1", "ConfigMap"},
                                  R"({"metadata":{"finalizers":["a/b"]},"data":{"x":"1"}})",
                                  R"({"metadata":{"finalizers":["c/d"]},"data":{"x":null,"y":"2"}})")),
            R"({"metadata":{"finalizers":["c/d","a/b"]},"data":{"y":"2"}})");
}

TEST(PatchSchemas, KeepOnlyTheKeysThatArePatched) {
  EXPECT_EQ(
      json::to_text(patched(
          {"", "v1", "Pod"}, R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
          R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"},"$retainKeys":["name","hostPath"]}]}})")),
      R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/x"}}]}})");
}

TEST(PatchSchemas, AreOfBuiltInKindsOnly) {
  EXPECT_EQ(kinds::find_patch_schema({"example.com", "v1", "Widget"}), nullptr);
  for (const kinds::BuiltInResource& resource : kinds::built_in_resources()) {
    ASSERT_NE(kinds::find_patch_schema(resource.kind), nullptr) << resource.kind.to_string();
  }
}

/// Expects two schemas to be equal. A field whose type has no strategies below may be missing.
void compare(const k8s::PatchSchema* ours, const k8s::PatchSchema* theirs, const kinds::MessageType& type,
             const std::string& path, std::set<const kinds::MessageType*>& above) {
  if (!above.insert(&type).second) return;
  for (const kinds::Field* field : type.json_fields()) {
    const auto* mine = ours != nullptr ? ours->find(field->name) : nullptr;
    const auto* other = theirs != nullptr ? theirs->find(field->name) : nullptr;
    const k8s::PatchSchema::Field none;
    const auto &a = mine != nullptr ? *mine : none, &b = other != nullptr ? *other : none;
    const std::string at = path + "." + std::string(field->name);
    EXPECT_EQ(a.merge, b.merge) << at;
    EXPECT_EQ(a.replace, b.replace) << at;
    EXPECT_EQ(a.merge_key, b.merge_key) << at;
    if (field->message != nullptr && field->shape != kinds::FieldShape::map &&
        (a.merge || field->shape == kinds::FieldShape::one)) {
      compare(a.type, b.type, *field->message, at, above);
    }
  }
  above.erase(&type);
}

TEST(PatchSchemas, AreThoseThatClientsUse) {
  int compared = 0;
  for (const kinds::BuiltInResource& resource : kinds::built_in_resources()) {
    const k8s::PatchSchema* known = k8s::PatchSchema::of(resource.kind.group_kind());
    if (known == nullptr) continue;
    std::set<const kinds::MessageType*> above;
    compare(kinds::find_patch_schema(resource.kind), known, *kinds::Kinds::find(resource.kind),
            resource.kind.to_string(), above);
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

}  // namespace
}  // namespace fairway::apiserver
