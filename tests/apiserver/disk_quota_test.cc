// What clients see of a server that has used up its --disk-quota.
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
  std::unique_ptr<Server> server =
      start_server({.data = folder / "data", .history_bytes = 8 << 20, .disk_quota = 32 << 20});
  std::shared_ptr<kube::Client> client = client_of(*server, {.max_retries = 0});
  const std::string configmaps = "/api/v1/namespaces/default/configmaps";
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
};

TEST_F(DiskQuota, RefusesWritesSaysHowToGoOnAndTakesThemAgainOnceThereIsRoom) {
  EXPECT_NE(send("POST", leases, lease(0)).find("leaseTransitions"), std::string::npos);
  std::string refused;
  int count = 0;
  for (; refused.empty() && count < 100; ++count) {
    const std::string answer = send("POST", configmaps, large(count));
    if (answer.find(R"("kind":"Status")") != std::string::npos) refused = answer;
  }
  EXPECT_NE(refused.find("etcdserver: mvcc: database space exceeded"), std::string::npos) << refused;
  EXPECT_NE(refused.find(R"("code":500)"), std::string::npos) << refused;
  EXPECT_GT(count, 20);
  const std::string ready = send("GET", "/readyz");
  EXPECT_NE(ready.find("[-]etcd failed"), std::string::npos) << ready;
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

}  // namespace
}  // namespace fairway::apiserver::testing
