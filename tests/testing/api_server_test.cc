// SPDX-License-Identifier: Apache-2.0

#include "testing/api_server.h"

#include <gtest/gtest.h>

#include "support/is_ok.h"

namespace fairway::testing {
namespace {

const k8s::GroupVersionResource config_maps{"", "v1", "configmaps"};

k8s::Dynamic config_map(const std::string& name) {
  return k8s::Dynamic(json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                                  R"(","namespace":"default"}})")
                          .value()
                          .as_object());
}

TEST(ApiServer, ServesAnAdministratorAtOnce) {
  auto started = ApiServer::start();
  ASSERT_OK(started);
  const auto created = (*started)->client()->create(config_maps, config_map("a"));
  ASSERT_OK(created);
  EXPECT_EQ(created->name(), "a");
}

TEST(ApiServer, ServesTheKindsOfDefinitionsWhenApplyReturns) {
  auto started = ApiServer::start();
  ASSERT_OK(started);
  ASSERT_OK((*started)->apply(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)",
                              "widgets"));
  EXPECT_OK((*started)->client()->list({"example.com", "v1", "widgets"}, ""));
  const auto applied = (*started)->apply("{kind: Widget", "widgets");
  ASSERT_FALSE(applied);
  EXPECT_NE(applied.error().message.find("widgets"), std::string::npos) << applied.error().message;
}

TEST(ApiServer, LetsAUserDoWhatRolesAllow) {
  auto started = ApiServer::start();
  ASSERT_OK(started);
  const auto client = (*started)->client_of("jane");
  ASSERT_OK(client);
  const auto refused = (*client)->create(config_maps, config_map("a"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("jane"), std::string::npos) << refused.error().message;
  ASSERT_OK((*started)->apply(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jane, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
)",
                              "roles"));
  EXPECT_OK((*client)->create(config_maps, config_map("a")));
}

}  // namespace
}  // namespace fairway::testing
