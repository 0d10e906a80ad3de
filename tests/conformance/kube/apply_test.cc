// SPDX-License-Identifier: Apache-2.0

// Server-side apply: who owns which field.
#include <set>

#include "conformance/kube/on_cluster.h"
#include "k8s/internal/patch/apply_document.h"

namespace fairway::conformance {
namespace {

class Apply : public OnCluster {
 protected:
  k8s::ConfigMap document(const std::string& key, const std::string& text) const {
    k8s::ConfigMap one = config_map("a");
    one.set_data(key, text);
    return one;
  }
  kube::ApiResult<k8s::Dynamic> apply(const k8s::ConfigMap& one, const std::string& manager,
                                      bool force = false) {
    return client->apply(config_maps, k8s::apply_document(one), {.field_manager = manager, .force = force});
  }
};

TEST_F(Apply, CreatesAndOwns) {
  const auto made = apply(document("x", "1"), "first");
  ASSERT_OK(made);
  const auto owners = made->items("metadata.managedFields");
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners.front().text("manager"), "first");
  EXPECT_EQ(owners.front().text("operation"), "Apply");
  const auto again = apply(document("x", "1"), "first");
  ASSERT_OK(again);
  EXPECT_EQ(again->resource_version(), made->resource_version());
}

TEST_F(Apply, NamesTheFieldsThatOthersOwn) {
  k8s::ConfigMap first = document("x", "1");
  first.set_data("y", "1");
  ASSERT_OK(apply(first, "first"));
  k8s::ConfigMap second = document("x", "2");
  second.set_data("y", "2");
  second.set_data("z", "2");
  const auto refused = apply(second, "second");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_conflict()) << refused.error().message;
  EXPECT_TRUE(refused.error().status.has_cause(k8s::cause::field_manager_conflict));
  std::set<std::string> fields;
  for (const auto& cause : refused.error().status.causes()) {
    EXPECT_EQ(cause.reason(), k8s::cause::field_manager_conflict);
    EXPECT_NE(cause.message().find("\"first\""), std::string::npos) << cause.message();
    fields.emplace(cause.field());
  }
  EXPECT_EQ(fields, (std::set<std::string>{".data.x", ".data.y"}));

  const auto forced = apply(second, "second", true);
  ASSERT_OK(forced);
  EXPECT_EQ(forced->text("data.x"), "2");
  // Nothing is left that the first one owned but the name it gave.
  const auto dropped = apply(document("y", "2"), "second");
  ASSERT_OK(dropped);
  EXPECT_EQ(dropped->text("data.x", "gone"), "gone");
  EXPECT_EQ(dropped->text("data.z", "gone"), "gone");
}

TEST_F(Apply, SharesWhatBothSayAlike) {
  ASSERT_OK(apply(document("x", "1"), "first"));
  ASSERT_OK(apply(document("x", "1"), "second"));
  // What one lets go of stays as long as the other holds it.
  const auto left = apply(config_map("a"), "first");
  ASSERT_OK(left);
  EXPECT_EQ(left->text("data.x"), "1");
  const auto gone = apply(config_map("a"), "second");
  ASSERT_OK(gone);
  EXPECT_EQ(gone->text("data.x", "gone"), "gone");
}

TEST_F(Apply, TakesAnObjectThatWasRead) {
  ASSERT_OK(apply(document("x", "1"), "first"));
  const auto read = client->get(config_maps, key("a"));
  ASSERT_OK(read);
  // The server refuses managedFields in what is applied; apply_document leaves them out.
  EXPECT_FALSE(client->apply(config_maps, *read, {.field_manager = "second"}));
  EXPECT_OK(client->apply(config_maps, k8s::apply_document(*read), {.field_manager = "second"}));
}

TEST_F(Apply, OfTheStatusLeavesTheRest) {
  const k8s::GroupVersionResource resource = deployments;
  const k8s::Dynamic deployment = object_of(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":")" + namespace_name +
      R"("},"spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}},)"
      R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},)"
      R"("status":{"observedGeneration":1,"replicas":1}})");
  ASSERT_OK(client->apply(resource, k8s::apply_document(deployment), {.field_manager = "spec"}));
  const auto stated = client->apply(resource, k8s::apply_document(deployment, k8s::ApplyTo::status),
                                    {.field_manager = "status"}, "status");
  ASSERT_OK(stated);
  EXPECT_EQ(stated->integer("status.observedGeneration"), 1);
  std::set<std::string> owners;
  for (const auto& entry : stated->items("metadata.managedFields")) {
    owners.insert(std::string(entry.text("manager")) + "/" + std::string(entry.text("subresource")));
  }
  EXPECT_EQ(owners, (std::set<std::string>{"spec/", "status/status"}));
}

}  // namespace
}  // namespace fairway::conformance
