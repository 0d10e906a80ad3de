// SPDX-License-Identifier: Apache-2.0

// Storage migration on a real API server, by a controller that is killed on its way.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <thread>

#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "k8s/condition.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/pages.h"
#include "kube/client/watch.h"
#include "support/process.h"

namespace fairway::conformance {
namespace {

using k8s::CustomResourceDefinition;

constexpr int objects = 10'000, kills = 5;
const k8s::GroupVersionResource crds = CustomResourceDefinition::resource.group_version_resource();
const k8s::GroupVersionResource conversions{"pkg.knative.dev", "v1alpha1", "conversions"};
const k8s::GroupVersionResource bolts{"bolts.example.com", "v1", "bolts"};

/// Bolts in two versions, of which `storage` is the stored one; they are not converted.
std::string bolts_yaml(const std::string& storage) {
  std::string yaml =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: bolts.bolts.example.com}\n"
      "spec:\n  group: bolts.example.com\n  scope: Namespaced\n"
      "  names: {kind: Bolt, plural: bolts, singular: bolt, listKind: BoltList}\n  versions:\n";
  for (const std::string version : {"v1alpha1", "v1"}) {
    yaml += "  - {name: " + version + ", served: true, storage: " + (version == storage ? "true" : "false") +
            ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n";
  }
  return yaml;
}

class Migration : public OnCluster {
 protected:
  CustomResourceDefinition definition() const {
    auto object = client->get(crds, {.namespace_name = {}, .name = "bolts.bolts.example.com"});
    EXPECT_OK(object);
    return CustomResourceDefinition(object ? object->release() : json::Object{});
  }
  std::vector<std::string> stored() const {
    const CustomResourceDefinition now = definition();
    const auto versions = now.stored_versions();
    return {versions.begin(), versions.end()};
  }
  void make_bolts(int count) const {
    std::atomic<int> next = 0;
    std::vector<std::jthread> writers;
    for (int i = 0; i < 8; ++i) {
      writers.emplace_back([&] {
        const k8s::GroupVersionResource old{"bolts.example.com", "v1alpha1", "bolts"};
        for (int at = next++; at < count; at = next++) {
          k8s::Dynamic bolt = object_of(R"({"apiVersion":"bolts.example.com/v1alpha1","kind":"Bolt"})");
          bolt.set_name("b" + std::to_string(at));
          bolt.set_namespace_name(namespace_name);
          bolt.set("spec.size", at);
          EXPECT_OK(client->create(old, bolt));
        }
      });
    }
  }
  /// The resourceVersion of each.
  std::map<std::string, std::string> revisions() const {
    std::map<std::string, std::string> found;
    const auto list = kube::list_all(*client, bolts, namespace_name);
    EXPECT_OK(list);
    if (!list) return found;
    for (const k8s::Dynamic& bolt : list->items) found.emplace(bolt.name(), bolt.resource_version());
    return found;
  }
  /// Waits until the Conversion is as `wanted` says, by a watch.
  void wait_for(const std::function<bool(const k8s::Dynamic&)>& wanted) const {
    const auto ended = client->watch(
        conversions, namespace_name,
        {.resource_version = "0", .bookmarks = false, .timeout = std::chrono::seconds(240)},
        [&](const kube::WatchEvent& event) -> Result<void> {
          if (event.type == kube::WatchEvent::Type::bookmark || !wanted(event.object)) return {};
          return fail(ErrorCode::cancelled, "seen");
        },
        Limits::within(Clock::system(), std::chrono::seconds(250)));
    ASSERT_FALSE(ended);
    ASSERT_EQ(ended.error().code, ErrorCode::cancelled) << ended.error().message << "\n"
                                                        << read_file(output()).value_or("");
  }
  std::string output() const { return (cluster.folder() / "conversions.log").string(); }
  std::unique_ptr<testing::Process> start_controller() const {
    return std::make_unique<testing::Process>(
        std::vector<std::string>{FAIRWAY_BINARY, "conversions", "--kubeconfig", cluster.kubeconfig(),
                                 "--status-listen", "127.0.0.1:0", "--page-size", "250", "--settle", "2s"},
        output());
  }
};

TEST_F(Migration, Of10000ObjectsKilledFiveTimes) {
  cluster.apply(bolts_yaml("v1alpha1"));
  cluster.apply(read_file(FAIRWAY_SOURCE_DIR "/deploy/migration/conversion-crd.yaml").value());
  cluster.kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd/bolts.bolts.example.com",
                   "crd/conversions.pkg.knative.dev"});
  make_bolts(objects);
  cluster.apply(bolts_yaml("v1"));
  ASSERT_EQ(stored(), (std::vector<std::string>{"v1alpha1", "v1"}));
  const auto before = revisions();
  ASSERT_EQ(before.size(), static_cast<std::size_t>(objects));

  // Whoever watches the objects sees each write, and at last one that is ours.
  std::map<std::string, int> moved;
  const auto list = kube::list_all(*client, bolts, namespace_name);
  ASSERT_OK(list);
  std::jthread watcher([&](const std::stop_token& stop) {
    const auto over = client->watch(
        bolts, namespace_name,
        {.resource_version = list->resource_version,
         .bookmarks = false,
         .timeout = std::chrono::seconds(300)},
        [&](const kube::WatchEvent& event) -> Result<void> {
          if (event.object.label("last") == "yes") return fail(ErrorCode::cancelled, "that is all");
          if (event.type == kube::WatchEvent::Type::modified) ++moved[std::string(event.object.name())];
          return {};
        },
        Limits::within(Clock::system(), std::chrono::seconds(310), stop));
    EXPECT_TRUE(!over && over.error().code == ErrorCode::cancelled);
  });
  k8s::Dynamic conversion = object_of(
      R"({"apiVersion":"pkg.knative.dev/v1alpha1","kind":"Conversion","spec":{"group":"bolts.example.com",)"
      R"("oldVersion":"v1alpha1","newVersion":"v1","kind":"CustomResourceDefinition"}})");
  conversion.set_name("upgrade-bolts");
  conversion.set_namespace_name(namespace_name);
  ASSERT_OK(client->create(conversions, conversion));

  for (int kill = 1; kill <= kills; ++kill) {
    const auto controller = start_controller();
    wait_for([&](const k8s::Dynamic& now) {
      return now.integer("status.objectsDone") >= kill * objects / (kills + 1);
    });
    controller->end(SIGKILL);
    EXPECT_EQ(stored().size(), 2U) << "trimmed before the end";
    const auto now = client->get(conversions, key("upgrade-bolts"));
    ASSERT_OK(now);
    const auto completed = k8s::find_condition(*now, "Completed");
    ASSERT_TRUE(completed && completed->status() == k8s::ConditionStatus::unknown)
        << now->to_text() << read_file(output()).value_or("");
  }
  const auto controller = start_controller();
  wait_for([](const k8s::Dynamic& now) {
    const auto completed = k8s::find_condition(now, "Completed");
    return completed && completed->is_true();
  });
  EXPECT_EQ(stored(), std::vector<std::string>{"v1"});
  const auto ended = client->get(conversions, key("upgrade-bolts"));
  ASSERT_OK(ended);
  EXPECT_EQ(ended->integer("status.objectsDone"), objects);
  EXPECT_EQ(ended->integer("status.objectsTotal"), objects);
  const auto after = revisions();
  EXPECT_TRUE(
      std::ranges::all_of(after, [&](const auto& one) { return one.second != before.at(one.first); }));
  ASSERT_OK(client->patch(bolts, key("b0"), kube::PatchType::merge,
                          parsed(R"({"metadata":{"labels":{"last":"yes"}}})")));
  watcher.join();
  EXPECT_EQ(moved.size(), static_cast<std::size_t>(objects));
  EXPECT_TRUE(std::ranges::all_of(moved, [](const auto& one) { return one.second == 1; }))
      << "an object was written more than once";
  EXPECT_EQ(controller->end(SIGTERM), 0) << read_file(output()).value_or("");
}

TEST_F(Migration, EndsAsSoonAsTheDefinitionChanges) {
  constexpr int count = 100;
  cluster.apply(bolts_yaml("v1alpha1"));
  cluster.kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd/bolts.bolts.example.com"});
  make_bolts(count);
  cluster.apply(bolts_yaml("v1"));
  const auto before = revisions();
  ASSERT_EQ(before.size(), static_cast<std::size_t>(count));
  const auto written = [&] {
    const auto now = revisions();
    return std::ranges::count_if(now, [&](const auto& one) { return one.second != before.at(one.first); });
  };
  // One page, which takes 100 s.
  testing::Process process(
      {FAIRWAY_BINARY, "migrate", "--kubeconfig", cluster.kubeconfig(), "--group", "bolts.example.com",
       "--from", "v1alpha1", "--to", "v1", "-n", namespace_name, "--rate", "1"},
      output());
  while (written() == 0 && process.running()) std::this_thread::yield();
  cluster.apply(bolts_yaml("v1alpha1"));
  EXPECT_EQ(WEXITSTATUS(process.wait()), 1);
  EXPECT_TRUE(read_file(output()).value_or("").contains("its storage version is v1alpha1"))
      << read_file(output()).value_or("");
  EXPECT_LT(written(), count / 2);
}

TEST_F(Migration, WritesNothingWhereTheNewVersionIsNotStored) {
  cluster.apply(bolts_yaml("v1alpha1"));
  testing::Process process({FAIRWAY_BINARY, "migrate", "--kubeconfig", cluster.kubeconfig(), "--group",
                            "bolts.example.com", "--from", "v1alpha1", "--to", "v1"},
                           output());
  EXPECT_EQ(WEXITSTATUS(process.wait()), 1);
  EXPECT_TRUE(read_file(output()).value_or("").contains("v1 is not the storage version"));
}

}  // namespace
}  // namespace fairway::conformance
