// SPDX-License-Identifier: Apache-2.0

// What ResourceQuotas leave alone: Events, and statuses of claims.
#include "apiserver/server_case.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::eventually;

const k8s::GroupVersionResource quotas{"", "v1", "resourcequotas"},
    claims{"", "v1", "persistentvolumeclaims"};

class QuotaExempts : public OnServer {
 protected:
  void limit(const std::string& hard, const std::string& used) {
    ASSERT_OK(client->create(
        quotas,
        object_of(
            R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"default"},)"
            R"("spec":{"hard":)" +
            hard + "}}")));
    ASSERT_TRUE(eventually([&] {
      const auto seen = client->get(quotas, key("q"));
      return seen && seen->has("status.used") && *seen->find("status.used") == parsed(used);
    }));
  }
};

TEST_F(QuotaExempts, EventsOfBothGroups) {
  limit(R"({"count/events":"0","count/events.events.k8s.io":"0","secrets":"1"})", R"({"secrets":"0"})");
  EXPECT_OK(client->create(
      {"events.k8s.io", "v1", "events"},
      object_of(
          R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"e","namespace":"default"},)"
          R"("eventTime":"2026-06-01T00:00:00.000000Z","reportingController":"example.com/c",)"
          R"("reportingInstance":"i","action":"a","reason":"r","type":"Normal"})")));
  EXPECT_OK(client->create(
      {"", "v1", "events"},
      object_of(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"f","namespace":"default"},)"
                R"("involvedObject":{"namespace":"default"}})")));
}

TEST(QuotasWithoutACount, ExemptTheStatusOfAClaimThatTakesNoMore) {
  const auto server = start_server({.namespace_defaults = false, .quota_status = false});
  const auto client = client_of(*server, {.max_retries = 0});
  const k8s::Key key{"default", "c"};
  ASSERT_OK(client->create(
      claims,
      object_of(
          R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":)"
          R"("default"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})")));
  auto quota = client->create(
      quotas,
      object_of(R"({"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q","namespace":"default"},)"
                R"("spec":{"hard":{"requests.storage":"2Gi"}}})"));
  ASSERT_OK(quota);
  quota->set("status.hard", parsed(R"({"requests.storage":"2Gi"})"));
  ASSERT_OK(client->replace(quotas, *quota, "status"));
  auto claim = client->get(claims, key);
  ASSERT_OK(claim);
  claim->set("status.phase", "Bound");
  claim = client->replace(claims, *claim, "status");
  ASSERT_OK(claim);
  claim->set("status.allocatedResources", parsed(R"({"storage":"2Gi"})"));
  const auto grown = client->replace(claims, *claim, "status");
  ASSERT_FALSE(grown);
  EXPECT_TRUE(grown.error().status.message().contains("status unknown for quota: q"))
      << grown.error().message;
}

}  // namespace
}  // namespace fairway::apiserver::testing
