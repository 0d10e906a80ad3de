// SPDX-License-Identifier: Apache-2.0

// Custom resources in three versions, converted by our webhook for a real API server.
#include <algorithm>
#include <map>
#include <thread>

#include "conformance/kube/on_cluster.h"
#include "conformance/kube/webhook_host.h"
#include "kube/client/pages.h"
#include "kube/client/watch.h"
#include "testing/version_test.h"

namespace fairway::conformance {
namespace {

const std::vector<std::string> versions = {"v1alpha1", "v1beta1", "v1"};

class Conversion : public OnCluster {
 protected:
  k8s::Dynamic gizmo(const std::string& version, const std::string& name, int n) const {
    k8s::Dynamic object = object_of(R"({"apiVersion":"gizmos.example.com/)" + version +
                                    R"(","kind":"Gizmo","spec":{"ports":[{"name":"a","port":1}]}})");
    object.set_name(name);
    object.set_namespace_name(namespace_name);
    object.set_label("made-in", version);
    object.set(version == "v1" ? "spec.capacity.size" : "spec.size", "size-" + std::to_string(n));
    if (version == "v1beta1") object.set("spec.replicas", n);
    if (version == "v1") {
      object.set("spec.capacity.replicas", n);
      object.set("spec.tls.secret", "s-" + std::to_string(n));
    }
    return object;
  }
  static std::string_view size_of(const k8s::Dynamic& object) {
    return object.text(object.api_version().ends_with("/v1") ? "spec.capacity.size" : "spec.size");
  }
};

TEST_F(Conversion, Of1500ObjectsThroughThreeVersions) {
  const WebhookHost host(cluster, {.namespace_name = namespace_name});
  constexpr int each = 500;
  {
    std::vector<std::jthread> writers;
    for (const std::string& version : versions) {
      writers.emplace_back([&, version] {
        for (int i = 0; i < each; ++i) {
          EXPECT_OK(
              client->create(Gizmo::resource(version), gizmo(version, version + "-" + std::to_string(i), i)));
        }
      });
    }
  }
  for (const std::string& version : versions) {
    SCOPED_TRACE(version);
    const auto list = kube::list_all(*client, Gizmo::resource(version), namespace_name);
    ASSERT_OK(list);
    ASSERT_EQ(list->items.size(), versions.size() * each);
    for (const k8s::Dynamic& item : list->items) {
      ASSERT_EQ(item.api_version(), "gizmos.example.com/" + version);
      const std::string number(item.name().substr(item.name().rfind('-') + 1));
      ASSERT_EQ(size_of(item), "size-" + number) << item.to_text();
      if (version == "v1" && item.label("made-in") == "v1") {
        ASSERT_EQ(item.text("spec.tls.secret"), "s-" + number);
      }
      if (version == "v1beta1" && item.label("made-in") != "v1alpha1") {
        ASSERT_EQ(std::to_string(item.integer("spec.replicas")), number);
      }
      ASSERT_FALSE(version != "v1" && item.has("spec.tls"));
    }
    for (int i = 0; i < each; i += 50) {
      for (const std::string& made_in : versions) {
        const auto got = client->get(Gizmo::resource(version), key(made_in + "-" + std::to_string(i)));
        ASSERT_OK(got);
        EXPECT_EQ(size_of(*got), "size-" + std::to_string(i));
      }
    }
    const auto printed =
        cluster.kubectl({"get", "gizmos." + version + ".gizmos.example.com", "-n", namespace_name, "-o",
                         "jsonpath={range .items[*]}{.apiVersion}{\"\\n\"}{end}"});
    const std::string line = "gizmos.example.com/" + version + "\n";
    std::string all;
    for (int i = 0; i < 3 * each; ++i) all += line;
    EXPECT_EQ(printed.output, all) << printed.errors;

    // A watch from the beginning tells of each once, in this version.
    std::map<std::string, int> told;
    const auto ended = client->watch(
        Gizmo::resource(version), namespace_name,
        {.resource_version = "0", .bookmarks = false, .timeout = std::chrono::seconds(60)},
        [&](const kube::WatchEvent& event) -> Result<void> {
          if (event.type != kube::WatchEvent::Type::added) return {};
          EXPECT_EQ(event.object.api_version(), "gizmos.example.com/" + version);
          ++told[std::string(event.object.name())];
          if (told.size() == versions.size() * each) return fail(ErrorCode::cancelled, "that is all");
          return {};
        },
        Limits::within(Clock::system(), std::chrono::seconds(70)));
    EXPECT_EQ(told.size(), versions.size() * each) << (ended ? "" : ended.error().message);
    EXPECT_TRUE(std::ranges::all_of(told, [](const auto& one) { return one.second == 1; }));
  }
  EXPECT_EQ(host.problems(), std::vector<std::string>{});
}

TEST_F(Conversion, KeepsWhatAnOlderVersionCannotHold) {
  const WebhookHost host(cluster, {.namespace_name = namespace_name});
  k8s::Dynamic rich = gizmo("v1", "rich", 7);
  rich.set("spec.capacity.size", "XL");  // which older versions call L
  rich.set("spec.mode", "fast");
  ASSERT_OK(client->create(Gizmo::resource("v1"), rich));
  auto old = client->get(Gizmo::resource("v1alpha1"), key("rich"));
  ASSERT_OK(old);
  EXPECT_EQ(old->text("spec.size"), "L");
  EXPECT_FALSE(old->has("spec.tls") || old->has("spec.mode"));
  old->set_label("seen-by", "an-old-client");
  ASSERT_OK(client->replace(Gizmo::resource("v1alpha1"), *old));
  const auto again = client->get(Gizmo::resource("v1"), key("rich"));
  ASSERT_OK(again);
  EXPECT_EQ(json::to_text(again->at("spec.tls").json()), R"({"secret":"s-7"})");
  EXPECT_EQ(again->text("spec.mode"), "fast");
  EXPECT_EQ(again->text("spec.capacity.size"), "XL");
  EXPECT_EQ(again->label("seen-by"), "an-old-client");

  // What cannot be converted is said to the client by name and field.
  k8s::Dynamic odd = gizmo("v1beta1", "odd", 1);
  odd.set("spec.size", "huge");
  const auto refused = client->create(Gizmo::resource("v1beta1"), odd);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("spec.size: 'huge' is no size"), std::string::npos)
      << refused.error().message;
}

TEST_F(Conversion, PassesTheTestOfVersionsUpAndDown) {
  const WebhookHost host(cluster, {.namespace_name = namespace_name});
  fairway::testing::CrdVersionTest test;
  test.name = "sizes survive";
  test.definition =
      webhook::read_definitions(Gizmo::yaml("gizmos", Gizmo::group, "Gizmo"), "gizmos.yaml").value().front();
  test.seed = gizmo("v1alpha1", "seed", 3);
  std::vector<std::string> seen;
  test.test = [&](const k8s::Dynamic& object, fairway::testing::VersionedObjects&) -> Result<void> {
    seen.emplace_back(object.group_version_kind().version);
    if (size_of(object) != "size-3")
      return fail(ErrorCode::invalid, "the size is '" + std::string(size_of(object)) + "'");
    return {};
  };
  const auto passed = fairway::testing::run_crd_version_test(
      test, *fairway::testing::server_objects(client, test.definition));
  EXPECT_OK(passed);
  EXPECT_EQ(seen, (std::vector<std::string>{"v1alpha1", "v1beta1", "v1", "v1beta1", "v1alpha1"}));
}

}  // namespace
}  // namespace fairway::conformance
