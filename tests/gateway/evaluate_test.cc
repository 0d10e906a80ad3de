// SPDX-License-Identifier: Apache-2.0

// What check cannot be told: capacity, and Gateways whose class is gone.
#include "gateway/internal/status/evaluate.h"

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

/// Returns the Gateway of the cluster with its status; `class_name` is the class that it names.
k8s::Dynamic judged(const std::string& class_name, const PassContext& context) {
  std::string text = cluster;
  text.replace(text.find("CLASS"), 5, class_name);
  const auto documents = k8s::read_documents(text);
  Objects objects;
  for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
  const FakeClock clock;
  for (const Report& report : evaluate(objects, context)) {
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

/// Returns the condition Accepted of each listener, "True Accepted: ...".
std::vector<std::string> listeners_accepted(const k8s::Dynamic& gateway) {
  std::vector<std::string> all;
  for (const k8s::View& one : gateway.items("status.listeners")) {
    const auto found = k8s::find_condition(one, "Accepted", "conditions");
    all.push_back(std::string(to_string(found->status())) + " " + std::string(found->reason()) + ": " +
                  std::string(found->message()));
  }
  return all;
}

TEST(OwnPorts, AreNoGateways) {
  const std::string listeners =
      "[{name: status, port: 8081, protocol: HTTP}, {name: xds, port: 18000, protocol: TCP}, "
      "{name: datagrams, port: 8081, protocol: UDP}, {name: free, port: 8082, protocol: HTTP}]";
  const PassContext context{
      .now = {},
      .own_listeners = {.listeners = {{.flag = "--status-listen", .address = "", .port = 8081},
                                      {.flag = "--xds-listen", .address = "127.0.0.1", .port = 18000}},
                        .machine = {*AddressRange::parse("198.51.100.7")}},
      .listed_addresses = *AddressPool::parse("127.0.0.1")};
  const auto judge = [&](const std::string& addresses) {
    std::string text = cluster;
    text.replace(text.find("CLASS"), 5, "fairway\n  addresses: " + addresses);
    text.replace(text.find("[{name: http, port: 80, protocol: HTTP}]"), 40, listeners);
    const auto documents = k8s::read_documents(text);
    Objects objects;
    for (const k8s::Document& document : documents.value()) objects.add(*k8s::Dynamic::from(document.value));
    const FakeClock clock;
    for (const Report& report : evaluate(objects, context)) {
      if (report.object->kind() == "Gateway") return listeners_accepted(with_status(report, clock));
    }
    return std::vector<std::string>();
  };
  const std::string accepted = "True Accepted: ";
  const auto refusal = [](const std::string& port, const std::string& address, const std::string& flag) {
    return "False PortUnavailable: port " + port + " of " + address + " belongs to the controller's own " +
           flag;
  };
  const auto expect = [&](const std::string& addresses, const std::vector<std::string>& first_words) {
    const auto got = judge(addresses);
    ASSERT_EQ(got.size(), first_words.size()) << addresses;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(got[i].starts_with(first_words[i])) << addresses << ": " << got[i];
  };
  expect("[{value: 127.0.0.1}]", {refusal("8081", "127.0.0.1", "--status-listen"),
                                  refusal("18000", "127.0.0.1", "--xds-listen"), accepted, accepted});
  expect("[{value: 198.51.100.7}]",
         {refusal("8081", "198.51.100.7", "--status-listen"), accepted, accepted, accepted});
  expect("[{value: \"::ffff:198.51.100.7\"}]",
         {refusal("8081", "::ffff:198.51.100.7", "--status-listen"), accepted, accepted, accepted});
  // It is not of this machine.
  expect("[{value: 198.51.100.8}]", {accepted, accepted, accepted, accepted});
  expect("[{value: 198.51.100.8}, {value: 198.51.100.7}]",
         {refusal("8081", "198.51.100.7", "--status-listen"), accepted, accepted, accepted});
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
