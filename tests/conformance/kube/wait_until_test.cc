// SPDX-License-Identifier: Apache-2.0

// Waiting for objects of a real API server.
#include "kube/wait/wait_until.h"

#include "conformance/kube/on_cluster.h"
#include "k8s/custom_resource_definition.h"
#include "kube/apply/apply_step.h"
#include "kube/apply/run_steps.h"

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

TEST_F(WaitUntil, StepsApplyADefinitionAndThenItsObjects) {
  const auto definition = object_of(
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"parts.steps.example.com"},"spec":{"group":"steps.example.com","scope":"Namespaced",
          "names":{"kind":"Part","plural":"parts"},"versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  const auto part = object_of(R"({"apiVersion":"steps.example.com/v1","kind":"Part","metadata":{"name":"p",
          "namespace":")" + namespace_name +
                              R"("}})");
  const kube::ApplyStepOptions options{.apply = {.field_manager = "steps"}};
  const std::vector<kube::Step> steps{
      {"part",
       {"definition"},
       kube::apply_and_wait(client, {"steps.example.com", "v1", "parts"}, part, options)},
      {"definition", {}, kube::apply_and_wait(client, crds, definition, options)},
      {"settings", {}, kube::apply_and_wait(client, config_maps, config_map("settings"), options)},
      {"nowhere", {}, kube::apply_and_wait(client, config_maps, config_map("No Name"), options)},
      {"after nowhere", {"nowhere"}, {}}};
  const auto report = kube::run_steps(steps, {}, client->clock(), soon());
  ASSERT_OK(report);
  EXPECT_EQ(report->count(kube::StepResult::Outcome::done), 3U);
  EXPECT_EQ(report->count(kube::StepResult::Outcome::skipped), 1U);
  const auto result = report->result();
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.starts_with("1 of 5 steps failed, 1 was skipped: nowhere: "))
      << result.error().message;
  EXPECT_OK(client->get({"steps.example.com", "v1", "parts"}, key("p")));
  EXPECT_OK(client->remove(crds, definition.key()));
}

}  // namespace
}  // namespace fairway::conformance
