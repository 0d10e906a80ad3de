// Waiting for objects of a real API server.
#include "kube/wait/wait_until.h"

#include "conformance/kube/on_cluster.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionResource crds = k8s::CustomResourceDefinition::resource.group_version_resource();

class WaitUntil : public OnCluster {
 protected:
  Limits soon() const { return Limits::within(client->clock(), 120s); }
};

TEST_F(WaitUntil, ADefinitionIsEstablishedAndThenGone) {
  const auto definition = object_of(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"waits.wait.example.com"},"spec":{"group":"wait.example.com","scope":"Namespaced",
          "names":{"kind":"Wait","plural":"waits"},"versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  const auto created = client->create(crds, definition);
  ASSERT_OK(created);
  const auto ready = kube::wait_until(client, crds, definition.key(), kube::is_ready(), soon());
  ASSERT_OK(ready);
  ASSERT_OK(client->remove(crds, definition.key()));
  const auto gone =
      kube::wait_until(client, crds, definition.key(), kube::is_deleted(std::string(created->uid())), soon());
  ASSERT_OK(gone);
  EXPECT_FALSE(*gone);
}

TEST_F(WaitUntil, ADefinitionWhoseNamesAreTakenHasFailed) {
  const auto definition = [](const std::string& plural) {
    return object_of(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":")" +
                     plural + R"(.taken.example.com"},"spec":{"group":"taken.example.com",
          "scope":"Namespaced","names":{"kind":"Taken","plural":")" +
                     plural + R"("},
          "versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  };
  ASSERT_OK(client->create(crds, definition("firsts")));
  ASSERT_OK(kube::wait_until(client, crds, definition("firsts").key(), kube::is_ready(), soon()));
  ASSERT_OK(client->create(crds, definition("seconds")));
  const auto failed = kube::wait_until(client, crds, definition("seconds").key(), kube::is_ready(), soon());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::conflict) << failed.error().message;
  EXPECT_NE(failed.error().message.find("NamesAccepted is False"), std::string::npos)
      << failed.error().message;
  for (const char* plural : {"firsts", "seconds"}) {
    EXPECT_OK(client->remove(crds, definition(plural).key()));
  }
}

TEST_F(WaitUntil, WithoutRightsIsRefused) {
  const auto refused =
      kube::wait_until(cluster.client("nobody"), config_maps, key("a"), kube::is_ready(), soon());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden) << refused.error().message;
}

}  // namespace
}  // namespace fairway::conformance
