// What check cannot be told: capacity, and Gateways whose class is gone.
#include "gateway/internal/attachment/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/internal/status/status.h"
#include "k8s/conditions.h"
#include "k8s/documents.h"

namespace fairway::gateway {
namespace {

constexpr const char* cluster = R"(
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec: {controllerName: fairway.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop, generation: 4}
spec:
  gatewayClassName: CLASS
  listeners: [{name: http, port: 80, protocol: HTTP}]
)";

/// The Gateway of the cluster with its status; `class_name` is what it names.
k8s::Dynamic judged(const std::string& class_name, const Surroundings& surroundings) {
  std::string text = cluster;
  text.replace(text.find("CLASS"), 5, class_name);
  const auto documents = k8s::read_documents(text);
  Objects objects;
  for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
  const FakeClock clock;
  for (const Report& report : evaluate(objects, surroundings)) {
    if (report.object->kind() == "Gateway") return with_status(report, clock);
  }
  return *objects.find("Gateway", "shop", "web");
}

std::string condition(const k8s::Dynamic& gateway, std::string_view type) {
  const auto found = k8s::find_condition(gateway, type);
  if (!found) return "absent";
  return std::string(to_string(found->status())) + " " + std::string(found->reason());
}

TEST(Capacity, ThatIsMissingKeepsAGatewayFromBeingAccepted) {
  for (const char* reason : {"AddressNotAssigned", "NoResources"}) {
    const auto gateway = judged(
        "fairway", {.now = {}, .no_capacity = {{{"shop", "web"}, {reason, "all addresses are taken"}}}});
    EXPECT_EQ(condition(gateway, "Accepted"), std::string("False ") + reason);
    EXPECT_EQ(condition(gateway, "Programmed"), std::string("False ") + reason);
    EXPECT_EQ(condition(gateway, "ResolvedRefs"), "True ResolvedRefs");
    const auto listener =
        k8s::find_condition(gateway.items("status.listeners").at(0), "Programmed", "conditions");
    ASSERT_TRUE(listener);
    EXPECT_EQ(listener->reason(), "Pending");
  }
}

TEST(AClassThatIsGone, IsToldOnlyToWhatWasOurs) {
  const auto stranger = judged("gone", {.now = {}});
  EXPECT_EQ(condition(stranger, "Accepted"), "absent");
  const auto ours = judged("gone", {.now = {}, .was_ours = {{"shop", "web"}}});
  EXPECT_EQ(condition(ours, "Accepted"), "Unknown Pending");
  EXPECT_EQ(condition(ours, "Programmed"), "Unknown Pending");
  EXPECT_EQ(k8s::find_condition(ours, "Accepted")->observed_generation(), 4);
}

TEST(AClass, NamesItsFeaturesInOrderOnceItIsAccepted) {
  const auto documents = k8s::read_documents(cluster);
  Objects objects;
  for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
  const FakeClock clock;
  for (const Report& report : evaluate(objects, {.now = {}})) {
    if (report.object->kind() != "GatewayClass") continue;
    std::vector<std::string> names;
    const k8s::Dynamic now = with_status(report, clock);
    for (const k8s::View& one : now.items("status.supportedFeatures")) names.emplace_back(one.text("name"));
    EXPECT_TRUE(std::ranges::is_sorted(names));
    EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    EXPECT_TRUE(std::ranges::binary_search(names, "HTTPRoute"));
    return;
  }
  ADD_FAILURE() << "the class has no report";
}

}  // namespace
}  // namespace fairway::gateway
