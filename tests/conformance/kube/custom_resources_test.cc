// SPDX-License-Identifier: Apache-2.0

// Custom resources: status and scale of their own, generations, integers that stay exact.
#include "conformance/kube/on_cluster.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/api.h"

namespace fairway::conformance {
namespace {

class Gadget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"gadgets.example.com", "v1", "Gadget", "gadgets"};
  using Dynamic::Dynamic;
};
const k8s::GroupVersionResource gadgets = Gadget::resource.group_version_resource();

constexpr const char* definition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.gadgets.example.com}
spec:
  group: gadgets.example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, format: int32}
              large: {type: integer, format: int64}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              replicas: {type: integer}
              seen: {type: string}
)";

class CustomResources : public OnCluster {
 protected:
  CustomResources() {
    static const bool there = [this] {
      cluster.apply(definition);
      const auto done = cluster.kubectl(
          {"wait", "--for=condition=Established", "--timeout=60s", "crd/gadgets.gadgets.example.com"});
      if (done.exit_code != 0) throw std::runtime_error(done.errors);
      return true;
    }();
    (void)there;
  }
  Gadget gadget(const std::string& name) const {
    Gadget one = k8s::make<Gadget>(name, namespace_name);
    one.set("spec.replicas", 1);
    return one;
  }
  kube::Api<Gadget> api{client, namespace_name};
};

TEST_F(CustomResources, HaveAStatusApart) {
  Gadget one = gadget("g");
  one.set("status.seen", "at birth");
  const auto made = api.create(one);
  ASSERT_OK(made);
  EXPECT_FALSE(made->has("status"));
  EXPECT_EQ(made->generation(), 1);

  Gadget seen = *made;
  seen.set("status.seen", "yes");
  seen.set("spec.replicas", 7);
  const auto stated = api.replace_status(seen);
  ASSERT_OK(stated);
  EXPECT_EQ(stated->text("status.seen"), "yes");
  EXPECT_EQ(stated->integer("spec.replicas"), 1);
  EXPECT_EQ(stated->generation(), 1);

  Gadget wanted = *stated;
  wanted.set("status.seen", "no");
  wanted.set("spec.replicas", 2);
  const auto changed = api.replace(wanted);
  ASSERT_OK(changed);
  EXPECT_EQ(changed->text("status.seen"), "yes");
  EXPECT_EQ(changed->generation(), 2);

  const auto patched = api.merge_patch_status("g", parsed(R"({"status":{"replicas":2}})").as_object());
  ASSERT_OK(patched);
  EXPECT_EQ(patched->integer("status.replicas"), 2);
  const auto scale = client->get(gadgets, key("g"), "scale");
  ASSERT_OK(scale);
  EXPECT_EQ(scale->integer("status.replicas"), 2);
  EXPECT_EQ(scale->integer("spec.replicas"), 2);
}

TEST_F(CustomResources, AreReplacedOnlyAtAVersion) {
  ASSERT_OK(api.create(gadget("g")));
  const auto blind = api.replace(gadget("g"));
  ASSERT_FALSE(blind);
  EXPECT_TRUE(blind.error().is(k8s::reason::invalid)) << blind.error().message;
  EXPECT_NE(blind.error().message.find("metadata.resourceVersion"), std::string::npos)
      << blind.error().message;
}

TEST_F(CustomResources, KeepWhatWeDoNotKnow) {
  Gadget one = gadget("g");
  one.set("spec.large", std::int64_t{9'007'199'254'740'993});  // no double is that number
  one.set("spec.free", parsed(R"({"z":1,"a":{"deep":[1,2.5,"x",null]}})"));
  ASSERT_OK(api.create(one));
  const auto read = api.get("g");
  ASSERT_OK(read);
  EXPECT_EQ(read->integer("spec.large"), 9'007'199'254'740'993);
  EXPECT_EQ(json::to_text(*read->find("spec.free.a.deep")), R"([1,2.5,"x",null])");
}

TEST_F(CustomResources, AreEstablishedAsTheDefinitionSays) {
  const auto read = kube::Api<k8s::CustomResourceDefinition>(client).get("gadgets.gadgets.example.com");
  ASSERT_OK(read);
  EXPECT_TRUE(read->is_established());
  EXPECT_TRUE(read->names_accepted());
  EXPECT_EQ(read->stored_versions(), std::vector<std::string_view>{"v1"});
  EXPECT_EQ(read->storage_version(), "v1");
  ASSERT_EQ(read->versions().size(), 1U);
  EXPECT_TRUE(read->versions().front().has_status());
  EXPECT_TRUE(read->versions().front().has_scale());
}

}  // namespace
}  // namespace fairway::conformance
