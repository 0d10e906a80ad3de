// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/upgradeable.h"

#include <gtest/gtest.h>

#include "k8s/condition.h"

namespace fairway::operators {
namespace {

const WallTime now = parse_time("2026-01-01T00:00:00Z").value();

std::shared_ptr<const openshift::ClusterOperator> component(const std::string& name,
                                                            const std::string& status,
                                                            const std::string& reason) {
  auto made = k8s::make<openshift::ClusterOperator>(name);
  made.set("status.conditions", json::Array{json::Object{{"type", "Upgradeable"},
                                                         {"status", status},
                                                         {"reason", reason},
                                                         {"message", name + " says no"},
                                                         {"lastTransitionTime", "2026-01-01T00:00:00Z"}}});
  return std::make_shared<const openshift::ClusterOperator>(std::move(made));
}

openshift::ClusterVersion cluster_with(bool overrides) {
  auto cluster = k8s::make<openshift::ClusterVersion>("version");
  cluster.set("spec.overrides", json::Array{json::Object{{"kind", "Deployment"},
                                                         {"group", "apps"},
                                                         {"namespace", "a"},
                                                         {"name", "b"},
                                                         {"unmanaged", overrides}}});
  return cluster;
}

TEST(Upgradeable, IsDeniedByComponentsThatSayFalse) {
  const auto cluster = cluster_with(false);
  EXPECT_FALSE(not_upgradeable(cluster, {component("b", "True", ""), component("a", "Unknown", "X")}));
  const auto one = not_upgradeable(cluster, {component("b", "False", "Small"), component("a", "True", "")});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->reason, "Small");
  EXPECT_EQ(one->message, "Cluster operator b should not be upgraded between minor versions: b says no");
  const auto two =
      not_upgradeable(cluster, {component("b", "False", "Small"), component("a", "False", "Old")});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->reason, "ClusterOperatorsNotUpgradeable");
  EXPECT_EQ(two->message,
            "Multiple cluster operators should not be upgraded between minor versions:\n"
            "* Cluster operator a should not be upgraded between minor versions: Old: a says no\n"
            "* Cluster operator b should not be upgraded between minor versions: Small: b says no");
}

TEST(Upgradeable, IsDeniedByOverrides) {
  const auto overridden = not_upgradeable(cluster_with(true), {});
  ASSERT_TRUE(overridden);
  EXPECT_EQ(overridden->reason, "ClusterVersionOverridesSet");
  const auto both = not_upgradeable(cluster_with(true), {component("b", "False", "Small")});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->reason, "MultipleReasons");
  EXPECT_TRUE(
      both->message.starts_with("Cluster should not be upgraded between minor versions for multiple "
                                "reasons: Small,ClusterVersionOverridesSet\n* Cluster operator b "))
      << both->message;
}

TEST(Upgradeable, RemovesOnlyWhatItHasWritten) {
  for (const auto& finding : {*not_upgradeable(cluster_with(true), {}),
                              *not_upgradeable(cluster_with(false), {component("b", "False", "S")}),
                              *not_upgradeable(cluster_with(true), {component("b", "False", "S")}),
                              *not_upgradeable(cluster_with(false), {component("a", "False", "S"),
                                                                     component("b", "False", "S")})}) {
    auto cluster = cluster_with(false);
    write_upgradeable(cluster, finding, now);
    ASSERT_TRUE(cluster.condition(upgradeable));
    EXPECT_TRUE(cluster.condition(upgradeable)->is_false());
    write_upgradeable(cluster, std::nullopt, now);
    EXPECT_FALSE(cluster.condition(upgradeable)) << finding.message;
  }
  auto cluster = cluster_with(false);
  write_upgradeable(
      cluster,
      Finding{.status = k8s::ConditionStatus::is_false, .reason = "AdminAckRequired", .message = "Read."},
      now);
  write_upgradeable(cluster, std::nullopt, now);
  EXPECT_TRUE(cluster.condition(upgradeable));
}

}  // namespace
}  // namespace fairway::operators
