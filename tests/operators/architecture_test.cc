// SPDX-License-Identifier: Apache-2.0

// Where ClusterVersion says that a release is of several architectures.
#include <gtest/gtest.h>

#include <string>

#include "operators/cluster_version_controller.h"
#include "operators/update_lists.h"
#include "payload/release_image.h"

namespace fairway::operators {
namespace {

constexpr const char* answer = R"({"nodes":[
  {"version":"4.6.23","payload":"r@23","metadata":{"release.openshift.io/architecture":"multi"}},
  {"version":"4.6.24","payload":"r@24","metadata":{"release.openshift.io/architecture":"multi"}},
  {"version":"4.6.25","payload":"r@25","metadata":{"release.openshift.io/architecture":"multi"}}],
 "edges":[[0,1]],
 "conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.6.25"}],"risks":[
  {"name":"R","url":"https://example.com/r","message":"m","matchingRules":[{"type":"Always"}]}]}]})";

/// Returns the status of a cluster whose releases are all of several architectures.
openshift::ClusterVersion written() {
  Query query;
  query.channel = "stable-4.6";
  query.version = "4.6.23";
  const auto available = read_available_updates(answer, query, "https://example.com").value();
  risk::UpdateVerdict verdict;
  verdict.risks.assign(1, {});
  verdict.risks.front().outcome = risk::Outcome::matches;
  verdict.recommended = risk::recommended(available.updates.at(0).risks, verdict.risks);
  verdict.evaluating = {risk::Status::is_true, "PeriodicallyEvaluating", "As it should be."};
  const std::vector<risk::UpdateVerdict> verdicts{verdict};
  const risk::Registry registry = risk::standard_registry();
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  UpdateInputs inputs;
  inputs.current = {.version = "4.6.23", .image = "r@23", .multi = true};
  inputs.retrieved = retrieved();
  inputs.available = &available;
  inputs.verdicts = verdicts;
  inputs.registry = &registry;
  write_updates(cluster, inputs);
  return cluster;
}

TEST(ArchitectureTest, IsListed) {
  const openshift::ClusterVersion cluster = written();
  EXPECT_EQ(cluster.desired().text("architecture"), "Multi");
  ASSERT_EQ(cluster.available_updates().size(), 1U);
  EXPECT_EQ(cluster.available_updates().front().text("architecture"), "Multi");
  ASSERT_EQ(cluster.conditional_updates().size(), 1U);
  EXPECT_EQ(cluster.conditional_updates().front().release().text("architecture"), "Multi");
}

TEST(ArchitectureTest, OfTheReleaseThatRunsOutlastsARestart) {
  auto cluster = written();
  cluster.array("status.history")
      .push_back(json::Object{{"state", "Completed"}, {"version", "4.6.23"}, {"image", "r@23"}});
  // Also while another release is refused.
  set_condition(cluster, "ReleaseAccepted",
                {k8s::ConditionStatus::is_false, "RetrievePayload",
                 "Retrieving payload failed version=\"4.6.24\" image=\"r@24\" failure=x"},
                {});
  EXPECT_TRUE(desired_release(cluster, {}).multi);
  // A status of before, without it.
  cluster.object("status.desired").erase("architecture");
  EXPECT_FALSE(desired_release(cluster, {}).multi);
  const auto accept = [&](std::string_view image, std::string_view architecture) {
    set_condition(cluster, "ReleaseAccepted",
                  {k8s::ConditionStatus::is_true, "PayloadLoaded",
                   payload::loaded_message("4.6.23", image, architecture)},
                  {});
    return desired_release(cluster, {}).multi;
  };
  EXPECT_TRUE(accept("r@23", "multi"));
  EXPECT_FALSE(accept("r@23", "amd64"));
  EXPECT_FALSE(accept("r@other", "multi"));
  // The first status has it, too.
  auto first = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  write_first_status(first, {.version = "4.6.23", .image = "r@23", .multi = true}, {});
  EXPECT_TRUE(desired_release(first, {}).multi);
}

}  // namespace
}  // namespace fairway::operators
