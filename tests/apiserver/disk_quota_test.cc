// SPDX-License-Identifier: Apache-2.0

// What clients see of a server that has used up its --disk-quota.
#include "raw_client.h"
#include "server_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

class DiskQuota : public ::testing::Test {
 protected:
  std::string send(const std::string& method, const std::string& path, const std::string& body = "") const {
    std::string answer;
    kube::ApiRequest request{.method = method, .path = path};
    request.body = body;
    if (!body.empty())
      request.content_type = method == "PATCH" ? "application/merge-patch+json" : "application/json";
    const auto sent = client->send(request, answer);
    return sent ? answer : sent.error().status.to_text();
  }
  static std::string large(int number) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n)" + std::to_string(number) +
           R"("},"data":{"a":")" + std::string(800'000, 'x') + R"("}})";
  }
  static std::string lease(int transitions) {
    return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"leader"},"spec":{"leaseTransitions":)" +
           std::to_string(transitions) + "}}";
  }

  fairway::testing::TempDirectory folder;
  std::unique_ptr<EmbeddedServer> server =
      start_server({.data = folder / "data", .history_bytes = 8 << 20, .disk_quota = 32 << 20});
  std::shared_ptr<kube::Client> client = client_of(*server, {.max_retries = 0});
  const std::string configmaps = "/api/v1/namespaces/default/configmaps";
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
};

TEST_F(DiskQuota, RefusesWritesSaysHowToGoOnAndTakesThemAgainOnceThereIsRoom) {
  EXPECT_NE(send("POST", leases, lease(0)).find("leaseTransitions"), std::string::npos);
  std::string refused;
  int count = 0;
  // The one after the first may find room, once the log has been written into the database.
  for (int in_a_row = 0; count < 100 && in_a_row < 2; ++count) {
    const std::string answer = send("POST", configmaps, large(count));
    const bool is_refused = answer.contains(R"("kind":"Status")");
    if (is_refused) refused = answer;
    in_a_row = is_refused ? in_a_row + 1 : 0;
  }
  // The writer measures after it has answered: what comes next waits for it.
  EXPECT_TRUE(send("PATCH", leases + "/leader", lease(2)).contains(R"("leaseTransitions":2)"));
  EXPECT_NE(refused.find("etcdserver: mvcc: database space exceeded"), std::string::npos) << refused;
  EXPECT_NE(refused.find(R"("code":500)"), std::string::npos) << refused;
  EXPECT_GT(count, 20);
  const std::string ready = send("GET", "/readyz");
  for (const char* check : {"[-]etcd failed", "[-]etcd-readiness failed"})
    EXPECT_NE(ready.find(check), std::string::npos) << check << ready;
  // The client quotes the beginning of what went wrong.
  EXPECT_NE(ready.find("database space exceeded"), std::string::npos) << ready;
  EXPECT_EQ(send("GET", "/livez"), "ok") << "a restart would not help";
  const std::string metrics = send("GET", "/metrics");
  EXPECT_NE(metrics.find("apiserver_storage_quota_exceeded 1"), std::string::npos);
  EXPECT_NE(metrics.find("etcd_server_quota_backend_bytes 33554432"), std::string::npos);
  EXPECT_NE(send("PATCH", leases + "/leader", lease(1)).find(R"("leaseTransitions":1)"), std::string::npos);
  for (int i = 0; i < 10; ++i) {
    EXPECT_NE(send("DELETE", configmaps + "/n" + std::to_string(i)).find(R"("status":"Success")"),
              std::string::npos);
  }
  // The writer compacts what was deleted after these answers.
  for (int i = 0; i < 1000 && send("GET", "/readyz") != "ok"; ++i)
    send("PATCH", leases + "/leader", lease(i));
  EXPECT_EQ(send("GET", "/readyz"), "ok");
  EXPECT_NE(send("POST", configmaps, large(1000)).find(R"("name":"n1000")"), std::string::npos);
  EXPECT_NE(send("GET", "/metrics").find("apiserver_storage_quota_exceeded 0"), std::string::npos);
}

TEST_F(DiskQuota, AFullServerStartsAgain) {
  for (int i = 0; i < 60; ++i) send("POST", configmaps, large(i));
  EXPECT_NE(send("GET", "/readyz"), "ok");
  server.reset();
  server = start_server({.data = folder / "data", .history_bytes = 8 << 20, .disk_quota = 32 << 20});
  client = client_of(*server, {.max_retries = 0});
  EXPECT_NE(send("POST", configmaps, large(100)).find("database space exceeded"), std::string::npos);
  for (int i = 0; i < 10; ++i) send("DELETE", configmaps + "/n" + std::to_string(i));
  for (int i = 0; i < 1000 && send("GET", "/readyz") != "ok"; ++i)
    send("PATCH", leases + "/leader", lease(i));
  EXPECT_EQ(send("GET", "/readyz"), "ok");
}

TEST_F(DiskQuota, AServerThatHasMoreThanItMayStartsAndTakesDeletions) {
  client.reset();
  server.reset();
  const auto start = [&](std::int64_t quota) {
    server = start_server({.data = folder / "more", .history_bytes = 8 << 20, .disk_quota = quota});
    client = client_of(*server, {.max_retries = 0});
  };
  start(0);
  for (int i = 0; i < 50; ++i) send("POST", configmaps, large(i));
  client.reset();
  server.reset();
  start(32 << 20);
  EXPECT_TRUE(send("POST", configmaps, large(100)).contains("database space exceeded"));
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(send("DELETE", configmaps + "/n" + std::to_string(i)).contains(R"("status":"Success")"));
  for (int i = 0; i < 1000 && send("GET", "/readyz") != "ok"; ++i)
    send("PATCH", leases + "/leader", lease(i));
  EXPECT_EQ(send("GET", "/readyz"), "ok");
}

TEST_F(DiskQuota, WhatWouldNotBeWrittenAnyhowIsToldApart) {
  for (int i = 0; i < 60; ++i) send("POST", configmaps, large(i));
  EXPECT_TRUE(send("POST", configmaps, large(1)).contains("AlreadyExists"));
  std::string stale = large(1);
  stale.insert(stale.find(R"("name")"), R"("resourceVersion":"1",)");
  EXPECT_TRUE(send("PUT", configmaps + "/n1", stale).contains("Conflict"));
}

/// Lets a tenant take all that the reserve gives to Leases.
TEST_F(DiskQuota, LeasesOfATenantLeaveRenewalsDeletionsAndAStartTheirRoom) {
  const RawClient admin(*server, &server->admin());
  const http::Headers tenant{{"Impersonate-User", "tenant"}};
  const std::pair<std::string, std::string> merge{"Content-Type", "application/merge-patch+json"};
  const auto is_refused = [](const http::Reply& reply) {
    return reply.status == 500 && reply.body.contains("database space exceeded");
  };
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/";
  admin.send("POST", roles + "clusterroles", {},
             R"({"metadata":{"name":"tenant"},"rules":[{"apiGroups":["","coordination.k8s.io"],"resources":)"
             R"(["configmaps","leases"],"verbs":["*"]}]})");
  admin.send("POST", roles + "namespaces/default/rolebindings", {},
             R"({"metadata":{"name":"tenant"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":)"
             R"("ClusterRole","name":"tenant"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":)"
             R"("User","name":"tenant"}]})");
  admin.send("POST", "/api/v1/namespaces", {}, R"({"metadata":{"name":"other"}})");
  ASSERT_EQ(
      admin.send("POST", configmaps, {}, R"({"metadata":{"name":"kept","finalizers":["example.com/a"]}})")
          .status,
      201);
  const std::string leader = "/apis/coordination.k8s.io/v1/namespaces/other/leases";
  ASSERT_EQ(admin.send("POST", leader, {}, lease(1)).status, 201);
  for (int i = 0; i < 60; ++i) admin.send("POST", configmaps, tenant, large(i));
  ASSERT_TRUE(is_refused(admin.send("POST", configmaps, tenant, large(100))));
  const auto named = [](int number, const std::string& note) {
    return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l)" +
           std::to_string(number) + R"(","annotations":{"a":")" + note + R"("}}})";
  };
  const std::string most(3000, 'x');
  int count = 0;
  while (count < 5000 &&
         !is_refused(admin.send("POST", leases, tenant, named(count, std::string(1000, 'x')))))
    ++count;
  ASSERT_GT(count, 50);
  int grown = 0;
  for (int i = 0; i < count; i += 10)
    grown += admin.send("PATCH", leases + "/l" + std::to_string(i), {*tenant.begin(), merge}, named(i, most))
                 .status == 200;
  EXPECT_EQ(grown, 0) << "of " << count;
  // What the tenant has is renewed, and so is what others have.
  EXPECT_EQ(
      admin.send("PATCH", leases + "/l0", {*tenant.begin(), merge}, named(0, std::string(1000, 'x'))).status,
      200);
  for (int i = 2; i < 10; ++i)
    EXPECT_EQ(admin.send("PATCH", leader + "/leader", {merge}, lease(i)).status, 200) << i;
  // What only begins to go, and what lets go.
  EXPECT_EQ(admin.send("DELETE", configmaps + "/kept").status, 200);
  EXPECT_EQ(admin.send("PATCH", configmaps + "/kept", {merge}, R"({"metadata":{"finalizers":null}})").status,
            200);
  EXPECT_EQ(admin.send("DELETE", "/api/v1/namespaces/other").status, 200);
  client.reset();
  server.reset();
  server = start_server({.data = folder / "data", .history_bytes = 8 << 20, .disk_quota = 32 << 20});
}

}  // namespace
}  // namespace fairway::apiserver::testing
