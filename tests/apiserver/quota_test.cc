// SPDX-License-Identifier: Apache-2.0

// ResourceQuotas: what a write is charged (data/quota.json), and what a server refuses.
#include <atomic>
#include <thread>
#include <vector>

#include "apiserver/internal/quota/charge.h"
#include "apiserver/server_case.h"
#include "support/cases.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::eventually;

const k8s::GroupVersionResource quotas{"", "v1", "resourcequotas"}, pods{"", "v1", "pods"};

json::Object member(const json::Value& row, std::string_view name) {
  const json::Value* found = row.as_object().if_contains(name);
  return found == nullptr ? json::Object() : found->as_object();
}

TEST(Quota, ChargesAsTheTableSays) {
  for (const json::Value& row :
       fairway::testing::read_cases(std::string(FAIRWAY_SOURCE_DIR) + "/tests/apiserver/data/quota.json")) {
    SCOPED_TRACE(std::string(row.at("case").as_string()));
    const json::Object quota{{"metadata", {{"name", "q"}}},
                             {"spec", member(row, "spec")},
                             {"status", {{"hard", member(row, "hard")}, {"used", member(row, "used")}}}};
    const k8s::View group(row.as_object());
    const k8s::GroupResource resource{std::string(group.text("group")), std::string(group.text("resource"))};
    const json::Object object = member(row, "object"), old = member(row, "old");
    const k8s::View new_view(object), old_view(old);
    const auto used = quota::charge(k8s::View(quota), {.resource = resource,
                                                       .object = new_view,
                                                       .old = old.empty() ? nullptr : &old_view,
                                                       .now = WallTime{}});
    if (row.as_object().contains("error")) {
      ASSERT_FALSE(used);
      EXPECT_EQ(used.error(), std::string_view(row.at("error").as_string()));
      continue;
    }
    ASSERT_TRUE(used) << used.error();
    EXPECT_EQ(*used ? quota::write_amounts(**used) : json::Object(), member(row, "then"));
  }
}

TEST(Quota, AmountsAreWrittenAsKubernetesWritesThem) {
  struct Case {
    const char *a, *b, *sum;
  };
  for (const Case& one :
       {Case{"0", "0", "0"}, Case{"250m", "250m", "500m"}, Case{"500m", "500m", "1"}, Case{"0", "1Gi", "1Gi"},
        Case{"1Gi", "1000", "1073742824"}, Case{"1000", "1Gi", "1073742824"}, Case{"512Mi", "512Mi", "1Gi"},
        Case{"1023", "0", "1023"}, Case{"1Ki", "0", "1Ki"}, Case{"100Mi", "-100Mi", "0"},
        Case{"1k", "1", "1001"}, Case{"2E", "1E", "3E"}, Case{"-1500m", "0", "-1500m"},
        Case{"4Ti", "1Mi", "4194305Mi"}, Case{"100n", "1u", "1100n"}}) {
    quota::Amount sum = quota::Amount::read(json::Value(one.a));
    sum += quota::Amount::read(json::Value(one.b));
    EXPECT_EQ(sum.text(), one.sum) << one.a << " + " << one.b;
  }
  EXPECT_EQ(quota::Amount::read(json::Value(3)).text(), "3");
  EXPECT_EQ(quota::Amount::read(json::Value("1500m")).rounded_up().text(), "2");
}

class OnQuotas : public OnServer {
 protected:
  k8s::Dynamic quota(const std::string& hard) const {
    return object_of(
        R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"default"},)"
        R"("spec":{"hard":)" +
        hard + "}}");
  }
  /// Makes the quota, and waits until the server has counted.
  void limit(const std::string& hard) {
    ASSERT_OK(client->create(quotas, quota(hard)));
    ASSERT_TRUE(eventually([&] {
      const auto seen = client->get(quotas, key("q"));
      return seen && seen->has("status.used") && *seen->find("status.hard") == parsed(hard);
    }));
  }
  std::string used(const std::string& name) const {
    const auto seen = client->get(quotas, key("q"));
    return seen ? std::string(seen->map("status.used").find(name).value_or("-")) : seen.error().message;
  }
  std::string refusal(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object) const {
    const auto made = client->create(resource, object);
    return made ? "made"
                : std::to_string(made.error().status.code()) + " " +
                      std::string(made.error().status.message());
  }
};

TEST_F(OnQuotas, RefuseWhatDoesNotFit) {
  ASSERT_OK(client->create(config_maps, config_map("before")));
  limit(R"({"configmaps":"2"})");
  EXPECT_EQ(used("configmaps"), "1");
  EXPECT_EQ(refusal(config_maps, config_map("a")), "made");
  // Nobody has to wait for the count.
  EXPECT_EQ(used("configmaps"), "2");
  EXPECT_EQ(
      refusal(config_maps, config_map("b")),
      "403 configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, "
      "limited: configmaps=2");
  // What is there may change.
  ASSERT_OK(client->replace(config_maps, config_map("a", "2")));
  ASSERT_OK(client->remove(config_maps, key("a")));
  EXPECT_TRUE(eventually([&] { return used("configmaps") == "1"; }));
  EXPECT_EQ(refusal(config_maps, config_map("b")), "made");
}

TEST_F(OnQuotas, AreCountedAnewWhenTheyChange) {
  limit(R"({"configmaps":"1"})");
  ASSERT_OK(client->create(config_maps, config_map("a")));
  ASSERT_OK(client->replace(quotas, quota(R"({"configmaps":"3","count/jobs.batch":"4"})")));
  EXPECT_TRUE(eventually([&] { return used("count/jobs.batch") == "0"; }));
  EXPECT_EQ(used("configmaps"), "1");
}

TEST_F(OnQuotas, ArePassedByNoneOfManyAtOnce) {
  limit(R"({"configmaps":"7"})");
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 5; ++i) {
        const auto done =
            client->create(config_maps, config_map("m" + std::to_string(thread) + "-" + std::to_string(i)));
        made += done ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 7);
  EXPECT_EQ(used("configmaps"), "7");
}

TEST_F(OnQuotas, CountPodsUntilTheyEnd) {
  limit(R"({"pods":"1","requests.cpu":"1"})");
  const k8s::Dynamic pod = object_of(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},"spec":{"containers":[)"
      R"({"name":"c","image":"i","resources":{"requests":{"cpu":"300m"}}}],"serviceAccountName":"default"}})");
  EXPECT_EQ(refusal(pods, pod), "made");
  EXPECT_EQ(used("pods"), "1");
  EXPECT_EQ(used("requests.cpu"), "300m");
  auto ended = client->get(pods, key("p"));
  ASSERT_OK(ended);
  ended->set("status.phase", "Succeeded");
  ASSERT_OK(client->replace(pods, *ended, "status"));
  EXPECT_TRUE(eventually([&] { return used("pods") == "0" && used("requests.cpu") == "0"; }));
}

TEST_F(OnQuotas, CountNothingInADryRun) {
  limit(R"({"configmaps":"0"})");
  const std::string text = send({.method = "POST",
                                 .path = "/api/v1/namespaces/default/configmaps",
                                 .query = "dryRun=All",
                                 .body = config_map("a").to_text()});
  EXPECT_NE(text.find("exceeded quota"), std::string::npos) << text;
  EXPECT_EQ(used("configmaps"), "0");
}

TEST(Quotas, RefuseNothingUntilTheirStatusHasLimitsAndThenWhatNobodyHasCounted) {
  const auto server = start_server({.namespace_defaults = false, .quota_status = false});
  const auto client = client_of(*server, {.max_retries = 0});
  ASSERT_OK(
      client->create(quotas, object_of(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q",)"
                                       R"("namespace":"default"},"spec":{"hard":{"secrets":"0"}}})")));
  ASSERT_OK(client->create(
      {"", "v1", "secrets"},
      object_of(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"r","namespace":"default"}})")));
  auto quota = client->get(quotas, {"default", "q"});
  ASSERT_OK(quota);
  quota->set("status.hard", parsed(R"({"secrets":"1"})"));
  ASSERT_OK(client->replace(quotas, *quota, "status"));
  const auto made = client->create(
      {"", "v1", "secrets"},
      object_of(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"}})"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().status.message(),
            "secrets \"s\" is forbidden: status unknown for quota: q, resources: secrets");
}

TEST(Quotas, RefuseNothingWhereTheyAreTurnedOff) {
  const auto server = start_server({.namespace_defaults = false, .resource_quotas = false});
  const auto client = client_of(*server, {.max_retries = 0});
  ASSERT_OK(
      client->create(quotas, object_of(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q",)"
                                       R"("namespace":"default"},"spec":{"hard":{"secrets":"0"}}})")));
  ASSERT_TRUE(eventually([&] { return client->get(quotas, {"default", "q"})->has("status.used"); }));
  ASSERT_OK(client->create(
      {"", "v1", "secrets"},
      object_of(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"}})")));
}

}  // namespace
}  // namespace fairway::apiserver::testing
