// SPDX-License-Identifier: Apache-2.0

// data/patches.json: each patch is applied by the API server and by us; both must come to the same object, or
// both refuse.
#include "conformance/kube/on_cluster.h"
#include "k8s/equality.h"
#include "k8s/patch/json_patch.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"

namespace fairway::conformance {
namespace {

k8s::GroupVersionResource resource_of(const k8s::Dynamic& object) {
  const k8s::GroupVersionKind kind = object.group_version_kind();
  static const std::map<std::string, std::string, std::less<>> plurals = {
      {"ConfigMap", "configmaps"},
      {"Deployment", "deployments"},
      {"Service", "services"},
      {"Pod", "pods"},
      {"ServiceAccount", "serviceaccounts"}};
  return {kind.group, kind.version, plurals.at(kind.kind)};
}

kube::PatchType type_of(std::string_view text) {
  if (text == "json") return kube::PatchType::json;
  return text == "merge" ? kube::PatchType::merge : kube::PatchType::strategic;
}

Result<json::Value> patched_here(const k8s::Dynamic& object, kube::PatchType type, const json::Value& patch) {
  switch (type) {
    case kube::PatchType::json:
      return k8s::apply_json_patch(json::Value(object.json()), patch);
    case kube::PatchType::merge:
      return k8s::apply_merge_patch(json::Value(object.json()), patch);
    case kube::PatchType::strategic:
    case kube::PatchType::apply:
      break;
  }
  return k8s::apply_strategic_patch(json::Value(object.json()), patch,
                                    *k8s::PatchSchema::of(object.group_version_kind().group_kind()));
}

/// Returns an object without the fields that the server changes at each write.
json::Object comparable(const k8s::Dynamic& object) {
  k8s::Dynamic copy = object;
  copy.erase("metadata.managedFields");
  copy.erase("metadata.resourceVersion");
  copy.erase("metadata.generation");
  return copy.release();
}

using Patches = OnCluster;

TEST_F(Patches, MeanTheSameHereAndThere) {
  for (const json::Value& row : cases_of("patches.json")) {
    const k8s::View view(row.as_object());
    SCOPED_TRACE(std::string(view.text("case")));
    k8s::Dynamic object(row.at("object").as_object());
    object.set_namespace_name(namespace_name);
    object.set_name("p");
    const k8s::GroupVersionResource resource = resource_of(object);
    const auto made = client->create(resource, object);
    ASSERT_OK(made);
    const kube::PatchType type = type_of(view.text("type"));
    const json::Value& patch = row.at("patch");
    const auto there = client->patch(resource, key("p"), type, patch, {}, {.dry_run = true});
    const auto here = patched_here(*made, type, patch);
    if (view.flag("refused")) {
      EXPECT_FALSE(there) << there->to_text();
      // By RFC 7386 a merge patch may make something else than an object; the API has no use for that.
      EXPECT_FALSE(here && here->is_object()) << json::to_text(*here);
    } else {
      EXPECT_OK(there);
      EXPECT_OK(here);
      if (there && here) {
        // The server fills in defaults behind a patch: it shall do the same behind ours.
        const auto filled = client->replace(resource, k8s::Dynamic(here->as_object()), {}, {.dry_run = true});
        EXPECT_OK(filled);
        if (filled) {
          EXPECT_TRUE(k8s::equal_with_null_as_absent(comparable(*there), comparable(*filled)))
              << "there: " << json::to_text(comparable(*there))
              << "\nhere:  " << json::to_text(comparable(*filled));
        }
      }
    }
    if (!made->finalizers().empty()) {
      ASSERT_OK(client->patch(resource, key("p"), kube::PatchType::merge,
                              parsed(R"({"metadata":{"finalizers":null}})")));
    }
    ASSERT_OK(client->remove(resource, key("p"), {.grace_period = std::chrono::seconds(0)}));
  }
}

TEST_F(Patches, OfJsonTestWhatTheySay) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const auto failed = client->patch(config_maps, key("a"), kube::PatchType::json,
                                    parsed(R"([{"op":"test","path":"/metadata/name","value":"b"}])"));
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().is(k8s::reason::invalid)) << failed.error().message;
}

TEST_F(Patches, OfAnOldVersionAreConflicts) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const auto late = client->patch(config_maps, key("a"), kube::PatchType::merge,
                                  parsed(R"({"metadata":{"resourceVersion":"1"},"data":{"a":"b"}})"));
  ASSERT_FALSE(late);
  EXPECT_TRUE(late.error().is_conflict()) << late.error().message;
}

TEST_F(Patches, ThatWeMakeAreWhatWasMeant) {
  k8s::ConfigMap before = config_map("a");
  before.set_data("a", "1");
  before.set_data("b", "2");
  before.set_annotation("example.com/x", "1");
  const auto made = client->create(config_maps, before);
  ASSERT_OK(made);
  k8s::ConfigMap after(made->json());
  after.remove_data("a");
  after.set_data("b", "3");
  after.set_data("c", "4");
  after.set_annotation("example.com/x", "2");
  after.set_label("l", "m");
  const auto merge = k8s::merge_patch_between(made->json(), after.json());
  ASSERT_OK(merge);
  const json::Value list(k8s::json_patch_between(json::Value(made->json()), json::Value(after.json())));
  const auto by_merge = client->patch(config_maps, key("a"), kube::PatchType::merge, json::Value(*merge), {},
                                      {.dry_run = true});
  const auto by_list =
      client->patch(config_maps, key("a"), kube::PatchType::json, list, {}, {.dry_run = true});
  ASSERT_OK(by_merge);
  ASSERT_OK(by_list);
  EXPECT_TRUE(k8s::equal_with_null_as_absent(comparable(*by_merge), comparable(after)))
      << by_merge->to_text();
  EXPECT_TRUE(k8s::equal_with_null_as_absent(comparable(*by_list), comparable(after))) << by_list->to_text();
}

}  // namespace
}  // namespace fairway::conformance
