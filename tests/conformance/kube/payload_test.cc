// SPDX-License-Identifier: Apache-2.0

// A release applied on the real API server.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "conversion/migration/conversion_controller.h"
#include "payload/apply_plan.h"
#include "payload/internal/history.h"
#include "payload/preconditions.h"
#include "payload/selection.h"
#include "payload/update_status.h"
#include "support/generous.h"

namespace fairway::conformance {
namespace {

class Payloads : public OnCluster {
 protected:
  /// A release with a kind of its own, stored in this version, an object of it, and a Deployment.
  release::Files release(const std::string& version, const std::string& stored) const {
    const auto conversions = read_file(FAIRWAY_SOURCE_DIR "/deploy/migration/conversion-crd.yaml");
    std::string definition =
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: gears.payload.example.com}\nspec:\n  group: payload.example.com\n  scope: "
        "Namespaced\n"
        "  names: {kind: Gear, listKind: GearList, plural: gears, singular: gear}\n  versions:\n";
    for (const char* name : {"v1alpha1", "v1"}) {
      definition +=
          std::string("  - {name: ") + name +
          ", served: true, storage: " + (stored == name ? "true" : "false") +
          ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n";
    }
    return {
        {"0000_05_conversions_crd.yaml", conversions.value()},
        {"0000_05_gears_crd.yaml", definition},
        {"0000_10_gears_cr.yaml", "apiVersion: payload.example.com/" + stored +
                                      "\nkind: Gear\nmetadata: {name: g, namespace: " + namespace_name +
                                      "}\n"},
        {"0000_20_web_deployment.yaml",
         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: " + namespace_name +
             "}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n"
             "    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: \"e.com/web:" +
             version + "\"}]}\n"},
        {"0000_30_late_map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: late, namespace: " +
                                      namespace_name + "}\ndata: {version: \"" + version + "\"}\n"}};
  }

  /// Writes the status of a Deployment as kube-controller-manager would.
  void roll_out() const {
    const auto object = client->get(deployments, key("web"));
    ASSERT_OK(object);
    const std::string status =
        R"({"status":{"observedGeneration":)" + std::to_string(object->generation()) +
        R"(,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}})";
    EXPECT_OK(client->patch(deployments, key("web"), kube::PatchType::merge, parsed(status), "status"));
  }

  /// Applies a release, and writes its progress into `cluster_version`.
  payload::ApplyReport apply(const std::string& version, const std::string& stored) {
    auto manifests = payload::read_manifests(release(version, stored));
    EXPECT_OK(manifests);
    auto selected = payload::select(*std::move(manifests), {});
    EXPECT_OK(selected);
    const auto plan = payload::make_plan(version, std::move(selected->manifests), payload::Mode::updating);
    payload::UpdateStatus status{.version = version, .image = "e.com/release@sha256:" + version};
    payload::ApplyPlanOptions options{.conversion_namespace = namespace_name};
    options.wait_timeout = testing::generous(std::chrono::seconds(30));
    bool migrated = false;
    options.on_progress = [&](const payload::ApplyProgress& progress) {
      status.done = progress.done;
      status.total = progress.total;
      status.failure = progress.error;
      payload::write_update_status(cluster_version_, status, Clock::system().now());
      said_.push_back(std::string(cluster_version_.condition("Progressing")->message()));
      if (!progress.error) return;
      if (progress.error->name.contains("deployment")) roll_out();
      if (progress.error->reason == "UpdatePayloadMigrating" && !std::exchange(migrated, true)) convert();
    };
    kube::DynamicClient objects(client, std::make_shared<kube::ResourceMapper>(client));
    const auto report = payload::apply_plan(objects, plan, options, {});
    EXPECT_OK(report);
    if (report->is_done()) {
      status.failure.reset();
      status.completed = status.reconciling = true;
      payload::write_update_status(cluster_version_, status, Clock::system().now());
    }
    return *report;
  }
  /// Does the work of `fairway conversions` for every Conversion.
  void convert() const {
    const auto kind = k8s::ApiResource(conversion::Conversion::resource).group_version_resource();
    const auto list = client->list(kind, namespace_name);
    ASSERT_OK(list);
    for (const auto& one : list->items)
      EXPECT_OK(conversion::reconcile_conversion(*client, one.key(), {.settle = {}}, {}));
  }

  openshift::ClusterVersion cluster_version_ = k8s::make<openshift::ClusterVersion>("version");
  std::vector<std::string> said_;
};

TEST_F(Payloads, AreAppliedAndMigrateWhatIsStoredInAnOldVersion) {
  EXPECT_TRUE(apply("4.6.23", "v1alpha1").is_done());
  cluster_version_.set("spec.channel", "stable-4.7");
  cluster_version_.set("status.desired.version", "4.6.23");
  const auto preconditions = payload::check_preconditions(cluster_version_, {"4.7.4"}, false);
  EXPECT_FALSE(preconditions.blocked) << preconditions.summary;
  EXPECT_TRUE(payload::check_preconditions(cluster_version_, {"4.8.0"}, false).blocked);

  said_.clear();
  const auto report = apply("4.7.4", "v1");
  EXPECT_TRUE(report.is_done()) << report.progress.error->message;
  const k8s::GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  EXPECT_EQ(client->get(definitions, {"", "gears.payload.example.com"})->texts("status.storedVersions"),
            std::vector<std::string_view>{"v1"});
  EXPECT_EQ(client->get(config_maps, key("late"))->text("data.version"), "4.7.4");
  EXPECT_NE(
      std::ranges::find(said_, "Working towards 4.7.4: 3 of 5 done (60% complete), waiting on deployment \"" +
                                   namespace_name + "/web\""),
      said_.end());
  const auto history = cluster_version_.history();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_LE(history.size(), payload::max_history);
  EXPECT_EQ(history[0].version(), "4.7.4");
  EXPECT_TRUE(history[0].is_completed());
  EXPECT_EQ(cluster_version_.condition("Progressing")->message(), "Cluster version is 4.7.4");

  // Again nothing is written.
  const auto before = client->get(config_maps, key("late"));
  EXPECT_TRUE(apply("4.7.4", "v1").is_done());
  EXPECT_EQ(client->get(config_maps, key("late"))->resource_version(), before->resource_version());
}

}  // namespace
}  // namespace fairway::conformance
