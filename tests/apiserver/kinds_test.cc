// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/internal/kinds/resources.h"

namespace fairway::apiserver {
namespace {

const kinds::MessageType& type_of(const k8s::GroupVersionKind& kind) {
  const kinds::MessageType* type = kinds::Kinds::find(kind);
  EXPECT_NE(type, nullptr) << kind.to_string();
  if (type == nullptr) throw std::runtime_error("no " + kind.to_string());
  return *type;
}

/// Returns a field by its path; lists and maps are passed through.
const kinds::Field* field_at(const kinds::MessageType& type, std::initializer_list<std::string_view> path) {
  const kinds::MessageType* at = &type;
  const kinds::Field* field = nullptr;
  for (const std::string_view name : path) {
    if (at == nullptr) return nullptr;
    field = at->find(name);
    if (field == nullptr) return nullptr;
    at = field->message;
  }
  return field;
}

TEST(Kinds, KnowFieldsWithTheirNumbersAndTypes) {
  const kinds::MessageType& deployment = type_of({"apps", "v1", "Deployment"});
  EXPECT_TRUE(deployment.has_type_meta());
  EXPECT_EQ(deployment.go_name(), "v1.Deployment");
  const kinds::Field* replicas = field_at(deployment, {"spec", "replicas"});
  ASSERT_NE(replicas, nullptr);
  EXPECT_EQ(replicas->number, 1u);
  EXPECT_EQ(replicas->type, kinds::FieldType::int32);
  EXPECT_TRUE(replicas->pointer && replicas->omit_empty && !replicas->required);
  const kinds::Field* limits =
      field_at(deployment, {"spec", "template", "spec", "containers", "resources", "limits"});
  ASSERT_NE(limits, nullptr);
  EXPECT_EQ(limits->shape, kinds::FieldShape::map);
  EXPECT_EQ(limits->type, kinds::FieldType::quantity);
  EXPECT_EQ(limits->go_collection, "v1.ResourceList");
  EXPECT_EQ(field_at(deployment, {"spec", "nothing"}), nullptr);
  EXPECT_EQ(field_at(deployment, {"kind"}), nullptr) << "kind and apiVersion are not in the table";
}

TEST(Kinds, KnowHowListsAndMapsAreMerged) {
  const kinds::MessageType& pod = type_of({"", "v1", "Pod"});
  const kinds::Field* ports = field_at(pod, {"spec", "containers", "ports"});
  ASSERT_NE(ports, nullptr);
  EXPECT_TRUE(ports->patch_merge);
  EXPECT_EQ(ports->merge_key, "containerPort");
  EXPECT_EQ(ports->list_type, kinds::ListType::map);
  EXPECT_EQ(ports->list_keys, (std::vector<std::string_view>{"containerPort", "protocol"}));
  EXPECT_EQ(field_at(pod, {"spec", "containers", "ports", "protocol"})->default_json, R"("TCP")");
  EXPECT_EQ(field_at(pod, {"metadata", "finalizers"})->list_type, kinds::ListType::set);
  const kinds::Field* volumes = field_at(pod, {"spec", "volumes"});
  EXPECT_TRUE(volumes->patch_merge && volumes->patch_retain_keys);
  EXPECT_TRUE(
      field_at(type_of({"policy", "v1", "PodDisruptionBudget"}), {"spec", "selector"})->patch_replace);
  EXPECT_TRUE(field_at(pod, {"spec", "nodeSelector"})->atomic);
  EXPECT_TRUE(
      field_at(pod, {"spec", "affinity", "podAffinity", "preferredDuringSchedulingIgnoredDuringExecution",
                     "podAffinityTerm", "labelSelector"})
          ->message->atomic());
}

TEST(Kinds, ShowInlinedFieldsInJsonAndAsAMessageInProtobuf) {
  const kinds::MessageType& volume = *kinds::Kinds::message("core/v1", "Volume");
  const kinds::Field* empty_dir = volume.find("emptyDir");
  ASSERT_NE(empty_dir, nullptr);
  const kinds::Field* source = volume.find(2u);
  ASSERT_NE(source, nullptr);
  EXPECT_TRUE(source->inlined);
  EXPECT_EQ(source->message->find("emptyDir"), empty_dir);
  EXPECT_EQ(volume.find(1u)->name, "name");
  EXPECT_EQ(volume.find(3u), nullptr);
  EXPECT_EQ(volume.json_fields().front()->name, "name");
}

TEST(Kinds, BelongToEachGroupVersionWhereTheyAreOptions) {
  const kinds::MessageType* options = kinds::Kinds::find({"", "v1", "DeleteOptions"});
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(kinds::Kinds::find({"policy", "v1", "DeleteOptions"}), options);
  EXPECT_EQ(kinds::Kinds::find({"example.com", "v7", "DeleteOptions"}), options);
  EXPECT_NE(kinds::Kinds::find({"", "v1", "Status"}), nullptr);
  EXPECT_NE(kinds::Kinds::find({"meta.k8s.io", "v1", "PartialObjectMetadata"}), nullptr);
  EXPECT_EQ(kinds::Kinds::find({"apps", "v1", "Status"}), nullptr);
  EXPECT_EQ(kinds::Kinds::find({"apps", "v1beta1", "Deployment"}), nullptr);
  EXPECT_EQ(kinds::Kinds::find({"example.com", "v1", "Widget"}), nullptr);
}

TEST(Kinds, AreAllReadable) {
  std::size_t kinds = 0, fields = 0;
  std::set<const kinds::MessageType*> seen;
  const auto visit = [&](const auto& self, const kinds::MessageType& type) -> void {
    if (!seen.insert(&type).second) return;
    fields += type.fields().size();
    for (const kinds::Field& field : type.fields()) {
      EXPECT_EQ(field.message == nullptr, field.type < kinds::FieldType::schema_or_array)
          << type.name() << " " << field.name;
      EXPECT_EQ(field.list_type == kinds::ListType::map, !field.list_keys.empty())
          << type.name() << " " << field.name;
      if (field.message != nullptr) self(self, *field.message);
    }
  };
  for (const k8s::GroupVersion& group_version : kinds::Kinds::group_versions()) {
    const auto names = kinds::Kinds::kinds_of(group_version);
    EXPECT_FALSE(names.empty()) << group_version.to_string();
    for (const std::string_view name : names) {
      ++kinds;
      visit(visit, type_of({group_version.group, group_version.version, std::string(name)}));
    }
  }
  EXPECT_EQ(kinds, 160u);
  EXPECT_GT(fields, 1500u);
}

TEST(BuiltInResources, AreThoseOfARealServer) {
  const kinds::BuiltInResource* deployments =
      kinds::find_built_in(k8s::GroupVersionResource{"apps", "v1", "deployments"});
  ASSERT_NE(deployments, nullptr);
  EXPECT_EQ(deployments->kind.kind, "Deployment");
  EXPECT_EQ(deployments->singular, "deployment");
  EXPECT_EQ(deployments->list_kind, "DeploymentList");
  EXPECT_TRUE(deployments->is_namespaced());
  EXPECT_EQ(deployments->short_names, std::vector<std::string>{"deploy"});
  EXPECT_EQ(deployments->categories, std::vector<std::string>{"all"});
  ASSERT_NE(deployments->subresource("scale"), nullptr);
  EXPECT_EQ(deployments->subresource("scale")->kind, (k8s::GroupVersionKind{"autoscaling", "v1", "Scale"}));
  EXPECT_EQ(deployments->subresource("status")->kind, deployments->kind);
  EXPECT_EQ(deployments->subresource("log"), nullptr);
  EXPECT_EQ(kinds::built_in_resources().front().kind.group, "");
  const kinds::BuiltInResource* reviews =
      kinds::find_built_in(k8s::GroupVersionKind{"authorization.k8s.io", "v1", "SubjectAccessReview"});
  ASSERT_NE(reviews, nullptr);
  EXPECT_EQ(reviews->verbs, std::vector<std::string>{"create"});
  EXPECT_EQ(reviews->storage_version_hash, "");
}

TEST(BuiltInResources, ShareAStoreWhereTwoGroupsOrVersionsShowTheSameObjects) {
  EXPECT_EQ(kinds::find_built_in(k8s::GroupVersionResource{"events.k8s.io", "v1", "events"})->storage,
            (k8s::GroupVersionResource{"", "v1", "events"}));
  EXPECT_EQ(kinds::find_built_in(k8s::GroupVersionResource{"autoscaling", "v1", "horizontalpodautoscalers"})
                ->storage,
            (k8s::GroupVersionResource{"autoscaling", "v2", "horizontalpodautoscalers"}));
}

TEST(BuiltInResources, HaveATypeEach) {
  for (const kinds::BuiltInResource& resource : kinds::built_in_resources()) {
    type_of(resource.kind);
    const bool listed = std::ranges::find(resource.verbs, "list") != resource.verbs.end();
    if (listed) type_of({resource.kind.group, resource.kind.version, resource.list_kind});
    for (const kinds::BuiltInSubresource& subresource : resource.subresources) type_of(subresource.kind);
  }
}

}  // namespace
}  // namespace fairway::apiserver
