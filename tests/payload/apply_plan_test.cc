// SPDX-License-Identifier: Apache-2.0

#include "payload/apply_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/server_case.h"
#include "base/file.h"
#include "base/metrics.h"
#include "base/text.h"
#include "conversion/migration/conversion_controller.h"
#include "payload/manifests.h"
#include "payload/selection.h"
#include "support/generous.h"
#include "support/temp_directory.h"

namespace fairway::payload {
namespace {

using apiserver::testing::config_maps;
using apiserver::testing::deployments;
using testing::deployment;
using testing::map_yaml;
using testing::widgets_crd;

constexpr const char* cluster_operators_crd = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusteroperators.config.openshift.io}
spec:
  group: config.openshift.io
  scope: Cluster
  names: {kind: ClusterOperator, listKind: ClusterOperatorList, plural: clusteroperators, singular: clusteroperator}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)";

class ApplyPlanTest : public apiserver::testing::OnServer {
 protected:
  using OnProgress = std::function<void(const ApplyProgress&)>;

  static Plan plan_of(const release::Files& files, Mode mode = Mode::updating) {
    auto manifests = read_manifests(files);
    if (!manifests) throw std::runtime_error(manifests.error().message);
    auto selected = select(*std::move(manifests), {});
    if (!selected) throw std::runtime_error(selected.error().message);
    return make_plan("4.7.4", std::move(selected->manifests), mode);
  }
  ApplyReport apply(const Plan& plan, OnProgress on_progress = {}, const Limits& limits = {}) {
    options_.on_progress = std::move(on_progress);
    const auto report = apply_plan(objects(), plan, options_, limits);
    if (!report) throw std::runtime_error(report.error().message);
    return *report;
  }
  ApplyReport apply_files(const release::Files& files, OnProgress on_progress = {}) {
    return apply(plan_of(files), std::move(on_progress));
  }
  kube::DynamicClient objects() const { return {client, std::make_shared<kube::ResourceMapper>(client)}; }
  k8s::Dynamic config_map_of(const std::string& name) const { return config_map(name, "was there"); }
  /// Returns "a=1" for a ConfigMap, or "none".
  std::string value(const std::string& name) const {
    const auto object = client->get(config_maps, key(name));
    return object ? std::string(object->text("data.a")) : "none";
  }
  std::string version(const k8s::GroupVersionResource& resource, const k8s::Key& key) const {
    const auto object = client->get(resource, key);
    return object ? std::string(object->resource_version()) : "none";
  }
  void set_status(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                  const std::string& status) const {
    const auto patched = client->patch(resource, key, kube::PatchType::merge,
                                       apiserver::testing::parsed(R"({"status":)" + status + "}"), "status");
    ASSERT_OK(patched);
  }
  static std::string said(const ApplyReport& report) {
    if (report.ended) return "ended: " + report.ended->message;
    return report.progress.error ? report.progress.error->reason + ": " + report.progress.error->message
                                 : "done";
  }

  ApplyPlanOptions options_{.attempts = 3,
                            .backoff = {.first = std::chrono::milliseconds(1)},
                            .wait_timeout = testing::generous(std::chrono::seconds(10))};
};

TEST_F(ApplyPlanTest, AppliesLevelAfterLevelAndAgainChangesNothing) {
  const release::Files release{
      {"0000_05_widgets_crd.yaml", widgets_crd("v1")},
      {"0000_10_widgets_cr.yaml",
       "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: store}\nspec: {color: "
       "red}\n"},
      {"0000_05_other_namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: store}\n"},
      {"0000_20_a_map.yaml", map_yaml("a", "1")},
      {"0000_20_b_map.yaml", map_yaml("b", "1")}};
  std::vector<std::size_t> counts;
  const ApplyReport first = apply_files(release, [&](const ApplyProgress& progress) {
    if (counts.empty() || counts.back() != progress.done) counts.push_back(progress.done);
    EXPECT_EQ(progress.total, 5U);
  });
  EXPECT_EQ(said(first), "done");
  EXPECT_TRUE(first.is_done());
  EXPECT_EQ(first.progress.done, 5U);
  EXPECT_TRUE(std::ranges::is_sorted(counts));
  EXPECT_EQ(counts.back(), 5U);
  const k8s::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  const std::string widget = version(widgets, {"store", "w"});
  const std::string map = version(config_maps, key("a"));
  EXPECT_NE(widget, "none");

  // Somebody changes what is the release's, and adds what is not.
  ASSERT_OK(client->patch(config_maps, key("b"), kube::PatchType::merge,
                          apiserver::testing::parsed(R"({"data":{"a":"2","mine":"x"}})")));
  for (const Mode mode : {Mode::updating, Mode::reconciling, Mode::initializing})
    EXPECT_EQ(said(apply(plan_of(release, mode))), "done");
  EXPECT_EQ(version(widgets, {"store", "w"}), widget);
  EXPECT_EQ(version(config_maps, key("a")), map);
  EXPECT_EQ(value("b"), "1");
  EXPECT_EQ(client->get(config_maps, key("b"))->text("data.mine"), "x");
}

/// The stages of a step, in order: "running waiting(WHY) done".
std::string stages_of(const std::vector<std::pair<std::string, std::string>>& changes,
                      const std::string& step) {
  std::string all;
  for (const auto& [name, stage] : changes)
    if (name.starts_with(step)) all += (all.empty() ? "" : ", ") + stage;
  return all;
}

TEST_F(ApplyPlanTest, TellsWhatBecomesOfEachStep) {
  options_.wait_timeout = std::chrono::milliseconds(200);
  std::mutex mutex;
  std::vector<std::pair<std::string, std::string>> changes;
  options_.on_step = [&](const StepChange& change) {
    std::string stage = change.stage == StepStage::running   ? "running"
                        : change.stage == StepStage::waiting ? "waiting"
                        : change.stage == StepStage::done    ? "done"
                        : change.stage == StepStage::failed  ? "failed"
                                                             : "interrupted";
    const bool has_error = change.stage == StepStage::waiting || change.stage == StepStage::failed;
    EXPECT_EQ(change.error != nullptr, has_error) << change.step;
    if (change.error != nullptr) stage += " " + change.error->name;
    const std::lock_guard lock(mutex);
    changes.emplace_back(std::string(change.step), std::move(stage));
  };
  const ApplyReport report = apply_files({{"0000_05_a_1.yaml", map_yaml("before", "1")},
                                          {"0000_10_a_1.yaml", deployment},
                                          {"0000_20_a_1.yaml", map_yaml("after", "1")}});
  ASSERT_TRUE(report.progress.error);
  EXPECT_EQ(stages_of(changes, "0000_05_a_1.yaml"), "running, done");
  const std::string waits = stages_of(changes, "0000_10_a_1.yaml");
  EXPECT_TRUE(waits.starts_with("running, waiting deployment \"default/web\"")) << waits;
  EXPECT_TRUE(waits.ends_with(", failed deployment \"default/web\"")) << waits;
  // What needs a failed step is not begun, and joins are nobody's business.
  EXPECT_EQ(stages_of(changes, "0000_20_a_1.yaml"), "");
  EXPECT_EQ(stages_of(changes, "after level"), "");
}

TEST_F(ApplyPlanTest, RemovesAndCreatesByAnnotation) {
  ASSERT_OK(client->create(config_maps, config_map_of("old")));
  ASSERT_OK(client->create(config_maps, config_map_of("kept")));
  const release::Files release{
      {"0000_05_a_1.yaml", map_yaml("old", "1", R"({release.openshift.io/delete: "true"})")},
      {"0000_05_a_2.yaml", map_yaml("never", "1", R"({release.openshift.io/delete: "true"})")},
      {"0000_05_a_3.yaml", map_yaml("kept", "new", R"({release.openshift.io/create-only: "true"})")},
      {"0000_05_a_4.yaml", map_yaml("made", "new", R"({release.openshift.io/create-only: "true"})")},
      {"0000_05_a_5.yaml",
       "apiVersion: nobody.example.com/v1\nkind: Unserved\nmetadata: {name: x, annotations: "
       "{release.openshift.io/delete: \"true\"}}\n"}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(said(apply_files(release)), "done");
    EXPECT_EQ(value("old"), "none");
    EXPECT_EQ(value("kept"), "was there");
    EXPECT_EQ(value("made"), "new");
  }
}

TEST_F(ApplyPlanTest, WaitsUntilAFinalizerLetsAnObjectGo) {
  k8s::Dynamic object = config_map_of("old");
  object.add_finalizer("example.com/guard");
  ASSERT_OK(client->create(config_maps, object));
  std::atomic<int> waits = 0;
  const ApplyReport report = apply_files(
      {{"0000_05_a_1.yaml", map_yaml("old", "1", R"({release.openshift.io/delete: "true"})")},
       {"0000_10_a_1.yaml", map_yaml("after", "1")}},
      [&](const ApplyProgress& progress) {
        if (!progress.error || waits++ > 0) return;
        EXPECT_EQ(progress.error->name, "configmap \"default/old\"");
        EXPECT_EQ(progress.error->effect, UpdateEffect::none);
        EXPECT_EQ(value("after"), "none");
        EXPECT_OK(client->patch(config_maps, key("old"), kube::PatchType::merge,
                                apiserver::testing::parsed(R"({"metadata":{"finalizers":null}})")));
      });
  EXPECT_EQ(said(report), "done");
  EXPECT_GE(waits, 1);
  EXPECT_EQ(value("after"), "1");
}

TEST_F(ApplyPlanTest, WaitsForWorkloadsAndClusterOperators) {
  const release::Files release{
      {"0000_05_a_crd.yaml", cluster_operators_crd},
      {"0000_10_a_deployment.yaml", deployment},
      {"0000_10_etcd_operator.yaml",
       "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata: {name: etcd}\n"
       "status: {versions: [{name: operator, version: 4.7.4}]}\n"},
      {"0000_20_a_map.yaml", map_yaml("after", "1")}};
  const k8s::GroupVersionResource operators{"config.openshift.io", "v1", "clusteroperators"};
  std::vector<std::string> names;
  bool rolled_out = false, available = false;
  const ApplyReport report = apply_files(release, [&](const ApplyProgress& progress) {
    if (!progress.error) return;
    EXPECT_EQ(progress.error->effect, UpdateEffect::none) << progress.error->message;
    EXPECT_EQ(value("after"), "none");
    names.push_back(progress.error->name);
    if (progress.error->name.contains("deployment \"default/web\"") && !std::exchange(rolled_out, true)) {
      set_status(deployments, key("web"),
                 R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,)"
                 R"("availableReplicas":1})");
    }
    if (progress.error->name.contains("etcd") && !std::exchange(available, true)) {
      set_status(
          operators, {"", "etcd"},
          R"({"conditions":[{"type":"Available","status":"True"},{"type":"Degraded","status":"False"}],)"
          R"("versions":[{"name":"operator","version":"4.7.3"}]})");
    } else if (progress.error->reason == "ClusterOperatorUpdating") {
      set_status(operators, {"", "etcd"}, R"({"versions":[{"name":"operator","version":"4.7.4"}]})");
    }
  });
  EXPECT_EQ(said(report), "done");
  EXPECT_TRUE(rolled_out);
  EXPECT_TRUE(available);
  EXPECT_EQ(value("after"), "1");
}

TEST_F(ApplyPlanTest, AFailureBlocksLaterLevelsOnly) {
  const release::Files release{
      {"0000_05_a_1.yaml", map_yaml("before", "1")},
      {"0000_10_a_1.yaml",
       "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name, namespace: default}\n"},
      {"0000_10_a_2.yaml", map_yaml("behind", "1")},
      {"0000_10_b_1.yaml", map_yaml("beside", "1")},
      {"0000_20_a_1.yaml", map_yaml("after", "1")}};
  const ApplyReport report = apply_files(release);
  ASSERT_TRUE(report.progress.error);
  EXPECT_EQ(report.progress.error->reason, "UpdatePayloadResourceInvalid");
  const std::string& message = report.progress.error->message;
  EXPECT_TRUE(message.starts_with(
      "Could not update configmap \"default/Not_A_Name\" (2 of 5): the object is invalid, "
      "possibly due to local cluster configuration: "))
      << message;
  EXPECT_TRUE(message.contains("metadata.name: Invalid value: \"Not_A_Name\""))
      << "the field and the rule: " << message;
  EXPECT_EQ(report.progress.error->effect, UpdateEffect::fail);
  EXPECT_EQ(report.progress.done, 2U);
  EXPECT_EQ(value("before"), "1");
  EXPECT_EQ(value("behind"), "none");
  EXPECT_EQ(value("beside"), "1");
  EXPECT_EQ(value("after"), "none");
}

TEST_F(ApplyPlanTest, TellsWhatIsNotServedAndWhatIsForbidden) {
  const ApplyReport unserved = apply_files(
      {{"0000_05_a_1.yaml", "apiVersion: nobody.example.com/v1\nkind: Unserved\nmetadata: {name: x}\n"}});
  ASSERT_TRUE(unserved.progress.error);
  EXPECT_EQ(unserved.progress.error->reason, "UpdatePayloadResourceTypeMissing");
  const ApplyReport nowhere = apply_files(
      {{"0000_05_a_1.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: nowhere}\n"}});
  ASSERT_TRUE(nowhere.progress.error);
  EXPECT_EQ(nowhere.progress.error->reason, "UpdatePayloadResourceNotFound");

  kube::ClientConfig config = client->config();
  config.impersonate.user = "system:serviceaccount:default:nobody";
  const auto administrator = client;
  client = kube::Client::create(config).value();
  const ApplyReport forbidden = apply_files({{"0000_05_a_1.yaml", map_yaml("x", "1")}});
  client = administrator;
  ASSERT_TRUE(forbidden.progress.error);
  EXPECT_EQ(forbidden.progress.error->reason, "UpdatePayloadResourceForbidden");
  EXPECT_EQ(value("x"), "none");
}

TEST_F(ApplyPlanTest, WhatIsStoppedGoesOnFromTheBeginning) {
  const Plan plan = plan_of({{"0000_05_a_1.yaml", deployment}, {"0000_10_a_1.yaml", map_yaml("after", "1")}});
  std::stop_source stop;
  std::vector<StepStage> stages;  // of one step: the other one is never begun
  options_.on_step = [&](const StepChange& change) { stages.push_back(change.stage); };
  const ApplyReport stopped = apply(plan,
                                    [&](const ApplyProgress& progress) {
                                      if (progress.error) stop.request_stop();
                                    },
                                    {.stop = stop.get_token()});
  ASSERT_TRUE(stopped.ended);
  EXPECT_EQ(stopped.ended->code, ErrorCode::cancelled);
  EXPECT_FALSE(stopped.progress.error) << stopped.progress.error->message;
  ASSERT_FALSE(stages.empty());
  EXPECT_EQ(stages.back(), StepStage::interrupted);
  options_.on_step = {};
  EXPECT_EQ(value("after"), "none");
  set_status(
      deployments, key("web"),
      R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1})");
  EXPECT_EQ(said(apply(plan)), "done");
  EXPECT_EQ(value("after"), "1");
}

TEST_F(ApplyPlanTest, AWaitWithoutEndFailsItsStep) {
  options_.wait_timeout = std::chrono::milliseconds(20);
  const ApplyReport report =
      apply_files({{"0000_05_a_1.yaml", deployment}, {"0000_10_a_1.yaml", map_yaml("after", "1")}});
  ASSERT_TRUE(report.progress.error);
  EXPECT_EQ(report.progress.error->reason, "WorkloadNotAvailable");
  EXPECT_EQ(report.progress.error->name, "deployment \"default/web\"");
  EXPECT_EQ(report.progress.error->effect, UpdateEffect::fail);
  EXPECT_EQ(value("after"), "none");
}

TEST_F(ApplyPlanTest, MigratesTheObjectsOfADefinitionThatStoresAnotherVersion) {
  const auto conversions = read_file(FAIRWAY_SOURCE_DIR "/deploy/migration/conversion-crd.yaml");
  ASSERT_OK(conversions);
  const release::Files old_release{
      {"0000_05_a_1.yaml", *conversions},
      {"0000_05_b_1.yaml", widgets_crd("v1alpha1")},
      {"0000_10_b_1.yaml",
       "apiVersion: example.com/v1alpha1\nkind: Widget\nmetadata: {name: w, namespace: default}\n"}};
  ASSERT_EQ(said(apply_files(old_release)), "done");
  release::Files release = old_release;
  release["0000_05_b_1.yaml"] = widgets_crd("v1");
  release["0000_10_b_1.yaml"] =
      "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\n";
  std::string conversion;
  const ApplyReport report = apply_files(release, [&](const ApplyProgress& progress) {
    if (!progress.error || progress.error->reason != "UpdatePayloadMigrating" || !conversion.empty()) return;
    EXPECT_EQ(progress.done, progress.total);
    EXPECT_EQ(progress.error->name, "the migration of widgets.example.com");
    conversion = "widgets.example.com-2";
    const auto done = conversion::reconcile_conversion(*client, key(conversion), {.settle = {}}, {});
    EXPECT_OK(done);
  });
  EXPECT_EQ(said(report), "done");
  EXPECT_EQ(conversion, "widgets.example.com-2");
  const k8s::GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  EXPECT_EQ(client->get(definitions, {"", "widgets.example.com"})->texts("status.storedVersions"),
            std::vector<std::string_view>{"v1"});
  // It is cleared away, and nothing is migrated twice.
  EXPECT_EQ(
      version(k8s::ApiResource(conversion::Conversion::resource).group_version_resource(), key(conversion)),
      "none");
  EXPECT_EQ(said(apply_files(release)), "done");
}

TEST_F(ApplyPlanTest, AsksForNothingThatTheAnswerOfTheApplySays) {
  const release::Files release{
      {"0000_05_a_crd.yaml", cluster_operators_crd},
      {"0000_05_b_crd.yaml", widgets_crd("v1")},
      {"0000_10_a_deployment.yaml", deployment},
      {"0000_10_etcd_operator.yaml",
       "apiVersion: config.openshift.io/v1\nkind: ClusterOperator\nmetadata: {name: etcd}\n"
       "status: {versions: [{name: operator, version: 4.7.4}]}\n"},
      {"0000_20_a_map.yaml", map_yaml("after", "1")}};
  const ApplyReport first = apply_files(release, [&](const ApplyProgress& progress) {
    if (!progress.error) return;
    if (progress.error->name.contains("deployment \"default/web\"")) {
      set_status(deployments, key("web"),
                 R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,)"
                 R"("availableReplicas":1})");
    }
    if (progress.error->name.contains("etcd")) {
      set_status(
          {"config.openshift.io", "v1", "clusteroperators"}, {"", "etcd"},
          R"({"conditions":[{"type":"Available","status":"True"},{"type":"Degraded","status":"False"}],)"
          R"("versions":[{"name":"operator","version":"4.7.4"}]})");
    }
  });
  ASSERT_EQ(said(first), "done");

  metrics::Registry requests;
  const auto counted = apiserver::testing::client_of(*server, {.max_retries = 0, .registry = &requests});
  const auto mapper = std::make_shared<kube::ResourceMapper>(counted);
  ASSERT_OK(mapper->refresh());
  const std::string before = requests.text();
  const auto report = apply_plan({counted, mapper, "default"}, plan_of(release), options_, {});
  ASSERT_OK(report);
  EXPECT_EQ(said(*report), "done");
  const auto count = [](const std::string& text, const std::string& method) {
    double all = 0;
    for (const std::string_view line : split(text, '\n')) {
      if (line.starts_with("rest_client_requests_total{") && line.contains("method=\"" + method + "\""))
        all += std::strtod(std::string(line.substr(line.rfind(' '))).c_str(), nullptr);
    }
    return all;
  };
  const std::string after = requests.text();
  EXPECT_EQ(count(after, "PATCH"), 5) << after;
  EXPECT_EQ(count(after, "GET"), count(before, "GET")) << after;
}

TEST_F(ApplyPlanTest, HasTheServerReadAManifestOnce) {
  const testing::TempDirectory folder;
  server = apiserver::testing::start_server({.namespace_defaults = false, .audit_log = folder / "audit"});
  client = apiserver::testing::client_of(*server, {.max_retries = 0});
  EXPECT_EQ(said(apply_files({{"0000_05_a_1.yaml", map_yaml("a", "1")}})), "done");
  ASSERT_EQ(server->unaudited_requests(), 0U);
  const auto audit = read_file(folder / "audit");
  ASSERT_OK(audit);
  EXPECT_TRUE(audit->contains("fieldValidation=Ignore")) << *audit;
}

}  // namespace
}  // namespace fairway::payload
