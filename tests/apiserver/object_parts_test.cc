// SPDX-License-Identifier: Apache-2.0

// What each part of an object's API may change, and what becomes of strange numbers.
#include <chrono>
#include <string>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource pods{"", "v1", "pods"};
const k8s::GroupVersionResource bindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};

class ObjectParts : public OnServer {
 protected:
  k8s::Dynamic make_pod() const {
    const auto made = client->create(pods, object_of(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"p","namespace":"default","labels":{"a":"1"}},
      "spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}})"));
    EXPECT_OK(made);
    return made ? *made : k8s::Dynamic();
  }
  std::string request(const std::string& method, const std::string& path, const std::string& body = "",
                      const std::string& query = "") const {
    return send(
        {.method = method, .path = path, .query = query, .content_type = "application/json", .body = body});
  }
};

TEST_F(ObjectParts, StatusDoesNotSayWhatTheGarbageCollectorDeletes) {
  make_pod();
  const auto patched = client->patch(pods, key("p"), kube::PatchType::merge, parsed(R"({"metadata":{
      "labels":{"a":"2"},"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"none",
      "uid":"0"}]},"status":{"phase":"Running"}})"),
                                     "status");
  ASSERT_OK(patched);
  EXPECT_TRUE(patched->owners().empty());
  EXPECT_EQ(patched->text("status.phase"), "Running");
  // Kubelets set labels so.
  EXPECT_EQ(patched->label("a"), "2");
}

TEST_F(ObjectParts, GracePeriodsHaveAnEnd) {
  make_pod();
  const k8s::Dynamic deleted = object_of(
      request("DELETE", "/api/v1/namespaces/default/pods/p", "", "gracePeriodSeconds=9000000000000000000"));
  EXPECT_EQ(deleted.integer("metadata.deletionGracePeriodSeconds"), INT32_MAX);
  ASSERT_TRUE(deleted.deletion_time());
  const auto from_now = *deleted.deletion_time() - Clock::system().now();
  EXPECT_GT(from_now, std::chrono::years(60));
  EXPECT_LT(from_now, std::chrono::years(70));
}

TEST_F(ObjectParts, BindingsKeepTheirRole) {
  const auto made = client->create(bindings, object_of(R"({"apiVersion":"rbac.authorization.k8s.io/v1",
      "kind":"RoleBinding","metadata":{"name":"b","namespace":"default"},"roleRef":{
      "apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[]})"));
  ASSERT_OK(made);
  k8s::Dynamic changed = *made;
  changed.set("roleRef.name", "admin");
  const auto refused = client->replace(bindings, changed);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::invalid));
  EXPECT_NE(refused.error().message.find("field is immutable"), std::string::npos);
  changed = *made;
  changed.set_label("a", "b");
  EXPECT_OK(client->replace(bindings, changed));
}

TEST_F(ObjectParts, FinalizeTakesAwayTheLastFinalizer) {
  server.reset();
  server = start_server({.namespace_controller = false, .namespace_defaults = false});
  client = client_of(*server, {.max_retries = 0});
  // As typed clients write it, and as people do.
  for (const std::string spec : {R"({})", R"({"finalizers":[]})"}) {
    ASSERT_OK(client->create(namespaces,
                             object_of(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})")));
    const auto removed = client->remove(namespaces, {"", "n"});
    ASSERT_OK(removed);
    EXPECT_EQ(removed->text("status.phase"), "Terminating");
    request("PUT", "/api/v1/namespaces/n/finalize",
            R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"},"spec":)" + spec + "}");
    const auto gone = client->get(namespaces, {"", "n"});
    ASSERT_FALSE(gone) << spec;
    EXPECT_TRUE(gone.error().is(k8s::reason::not_found));
  }
}

TEST_F(ObjectParts, WhatIsOnlyReadRefusesOtherMethods) {
  for (const std::string path : {"/version", "/healthz", "/readyz", "/livez"}) {
    const k8s::Dynamic answer = object_of(request("POST", path, "{}"));
    EXPECT_EQ(answer.integer("code"), 405) << path;
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
