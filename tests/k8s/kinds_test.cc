// SPDX-License-Identifier: Apache-2.0

// Views of Kubernetes's own kinds: what they read, and that their paths are in the tables. `./dev conformance
// kube` compares the tables with the API server's OpenAPI documents.
#include <gtest/gtest.h>

#include "k8s/core.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/kinds/api_service.h"
#include "k8s/kinds/endpoint_slice.h"
#include "k8s/kinds/node.h"
#include "k8s/kinds/pod.h"
#include "k8s/kinds/rbac.h"
#include "k8s/kinds/service.h"
#include "k8s/kinds/workloads.h"
#include "k8s/lease.h"
#include "k8s/webhook_configuration.h"

namespace fairway::k8s {
namespace {

using openapi::has_path;
using openapi::Type;

template <class T>
T parse(std::string_view text) {
  return as<T>(Dynamic::parse(text).value()).value();
}

// A path that is not in the tables does not compile in a view: `has_path` is what its type asks.
TEST(OpenApiPathTest, FindsMembersOfTheRightTypeOnly) {
  static_assert(has_path(openapi::pod, "status.phase", {Type::text}));
  static_assert(!has_path(openapi::pod, "status.phsae", {Type::text}), "a typo");
  static_assert(!has_path(openapi::pod, "status.Phase", {Type::text}));
  static_assert(!has_path(openapi::pod, "phase", {Type::text}), "a parent is missing");
  static_assert(!has_path(openapi::pod, "status.phase.x", {Type::text}), "a text has no members");
  static_assert(!has_path(openapi::pod, "", {Type::text}));
  static_assert(!has_path(openapi::pod, "status.", {Type::text}));
  static_assert(!has_path(openapi::pod, "spec.hostNetwork", {Type::text}), "another type");
  static_assert(has_path(openapi::pod, "spec.containers", {Type::object_list}, &openapi::container));
  static_assert(!has_path(openapi::pod, "spec.containers", {Type::object_list}, &openapi::container_status));
  static_assert(!has_path(openapi::pod, "spec.containers.name", {Type::text}), "a list has no members");
  static_assert(!has_path(openapi::pod, "spec.affinity.nodeAffinity", {Type::object}), "beyond the tables");
  static_assert(has_path(openapi::service_port, "targetPort", {Type::other}));
  static_assert(has_path(openapi::custom_resource_definition,
                         "spec.conversion.webhook.clientConfig.service.port", {Type::integer}));
  static_assert(!has_path(openapi::custom_resource_definition, "spec.storedVersions", {Type::text_list}),
                "it is in the status");
  static_assert(has_path(openapi::lease, "spec.renewTime", {Type::time}));
  static_assert(has_path(openapi::event, "involvedObject.fieldPath", {Type::text}));
  static_assert(has_path(openapi::validating_webhook, "clientConfig.caBundle", {Type::text}));
}

template <class View, class Path>
concept can_read_text = requires(const View& view, Path path) { view.text(path); };
static_assert(can_read_text<Dynamic, std::string_view>);
static_assert(!can_read_text<Pod, std::string_view>, "only literals can be checked");
static_assert(!can_read_text<ConfigMap, std::string_view>);
static_assert(!can_read_text<CustomResourceDefinition, std::string_view>);
static_assert(!can_read_text<MutatingWebhookConfiguration, std::string_view>);

TEST(KindsTest, ReadAPod) {
  const auto pod = parse<Pod>(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},
    "spec":{"nodeName":"n","serviceAccountName":"s","hostNetwork":true,
            "containers":[{"name":"c","image":"i","command":["x"],"args":["y","z"]}]},
    "status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],
      "hostIP":"192.0.2.1","startTime":"2026-01-02T03:04:05Z","conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"name":"c","ready":false,"restartCount":4,"imageID":"sha256:1",
        "state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off"}},
        "lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})");
  EXPECT_EQ(pod.phase(), "Running");
  EXPECT_TRUE(pod.is_ready());
  EXPECT_EQ(pod.node_name(), "n");
  EXPECT_EQ(pod.service_account(), "s");
  EXPECT_TRUE(pod.host_network());
  EXPECT_EQ(pod.ip(), "10.0.0.1");
  EXPECT_EQ(pod.ips(), (std::vector<std::string_view>{"10.0.0.1", "fd00::1"}));
  EXPECT_EQ(pod.host_ip(), "192.0.2.1");
  EXPECT_EQ(format_time(pod.started().value()), "2026-01-02T03:04:05Z");
  ASSERT_EQ(pod.containers().size(), 1U);
  EXPECT_EQ(pod.containers()[0].image(), "i");
  EXPECT_EQ(pod.containers()[0].args(), (std::vector<std::string_view>{"y", "z"}));
  ASSERT_EQ(pod.container_statuses().size(), 1U);
  const ContainerStatus status = pod.container_statuses()[0];
  EXPECT_FALSE(status.ready());
  EXPECT_EQ(status.restarts(), 4);
  EXPECT_EQ(status.waiting_reason(), "CrashLoopBackOff");
  EXPECT_EQ(status.exit_code(), 137);
  EXPECT_EQ(status.terminated_reason(), "OOMKilled");
  EXPECT_FALSE(status.is_running());
  EXPECT_TRUE(pod.init_container_statuses().empty());
}

TEST(KindsTest, ReadAndWriteAService) {
  auto service = make<Service>("a", "b");
  service.set_type("LoadBalancer");
  service.set_selector("app", "x");
  service.add_port("http", 80, 8080);
  service.add_port("dns", 53, "dns", "UDP");
  service.add_port("", 9090);
  service.set_json("status.loadBalancer.ingress", json::Array{json::Object{{"ip", "192.0.2.1"}}});
  EXPECT_EQ(
      service.to_text(),
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"a","namespace":"b"},)"
      R"("spec":{"type":"LoadBalancer","selector":{"app":"x"},)"
      R"("ports":[{"name":"http","protocol":"TCP","port":80,"targetPort":8080},)"
      R"({"name":"dns","protocol":"UDP","port":53,"targetPort":"dns"},{"protocol":"TCP","port":9090}]},)"
      R"("status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}})");
  ASSERT_EQ(service.ports().size(), 3U);
  EXPECT_EQ(service.ports()[1].protocol(), "UDP");
  EXPECT_EQ(service.ports()[0].target_port()->as_int64(), 8080);
  EXPECT_EQ(service.ports()[2].target_port(), nullptr);
  EXPECT_EQ(service.load_balancer_ingress()[0].ip(), "192.0.2.1");
  EXPECT_FALSE(service.is_headless());
}

TEST(KindsTest, ReadAndWriteADeployment) {
  auto deployment = make<Deployment>("a", "b");
  EXPECT_EQ(deployment.replicas(), 1);
  deployment.set_replicas(2);
  deployment.select("app", "x");
  auto pods = deployment.edit_pod_template();
  pods.set_service_account("s");
  pods.set_json("spec.containers", json::Array{json::Object{{"name", "c"}, {"image", "i"}}});
  EXPECT_EQ(deployment.to_text(),
            R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"b"},)"
            R"("spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},)"
            R"("template":{"metadata":{"labels":{"app":"x"}},)"
            R"("spec":{"serviceAccountName":"s","containers":[{"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(deployment.pod_template().containers()[0].name(), "c");
  EXPECT_EQ(deployment.pod_template().labels().find("app"), "x");
  EXPECT_EQ(deployment.condition("Available"), std::nullopt);
}

TEST(KindsTest, ReadAnEndpointSlice) {
  const auto slice = parse<EndpointSlice>(
      R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"a-1",
      "labels":{"kubernetes.io/service-name":"a"}},"addressType":"IPv4",
      "endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false,"serving":true,"terminating":true},
                    "nodeName":"n","zone":"z","targetRef":{"kind":"Pod","name":"p","namespace":"b","uid":"u"}},
                   {"addresses":["10.0.0.2"],"conditions":{"ready":false}},{"addresses":["10.0.0.3"]}],
      "ports":[{"name":"http","port":8080,"appProtocol":"h2c"},{"name":"all"}]})");
  EXPECT_EQ(slice.service_name(), "a");
  EXPECT_EQ(slice.address_type(), "IPv4");
  const auto endpoints = slice.endpoints();
  ASSERT_EQ(endpoints.size(), 3U);
  EXPECT_EQ(endpoints[0].addresses(), std::vector<std::string_view>{"10.0.0.1"});
  EXPECT_FALSE(endpoints[0].ready());
  EXPECT_TRUE(endpoints[0].serving());
  EXPECT_TRUE(endpoints[0].terminating());
  EXPECT_EQ(endpoints[0].target_name(), "p");
  EXPECT_FALSE(endpoints[1].serving()) << "as ready";
  EXPECT_TRUE(endpoints[2].ready()) << "unknown";
  EXPECT_EQ(slice.ports()[0].port(), 8080);
  EXPECT_EQ(slice.ports()[0].protocol(), "TCP");
  EXPECT_EQ(slice.ports()[1].port(), std::nullopt);
}

TEST(KindsTest, ReadANode) {
  const auto node = parse<Node>(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
    "spec":{"unschedulable":true,"providerID":"p","taints":[{"key":"k","value":"v","effect":"NoExecute"}]},
    "status":{"addresses":[{"type":"Hostname","address":"h"},{"type":"InternalIP","address":"10.0.0.1"}],
      "conditions":[{"type":"Ready","status":"Unknown"}]}})");
  EXPECT_TRUE(node.unschedulable());
  EXPECT_EQ(node.taints()[0].effect(), "NoExecute");
  EXPECT_EQ(node.address("InternalIP"), "10.0.0.1");
  EXPECT_EQ(node.address("ExternalIP"), "");
  EXPECT_FALSE(node.is_ready());
}

TEST(KindsTest, ReadAndWriteAccessRights) {
  auto account = make<ServiceAccount>("s", "b");
  EXPECT_EQ(account.automount_token(), std::nullopt);
  account.set_automount_token(false);
  EXPECT_EQ(account.automount_token(), false);
  auto role = make<ClusterRole>("r");
  role.set_rules(json::Array{json::Object{
      {"apiGroups", json::Array{""}}, {"resources", json::Array{"pods"}}, {"verbs", json::Array{"get"}}}});
  EXPECT_EQ(role.rules()[0].resources(), std::vector<std::string_view>{"pods"});
  EXPECT_EQ(role.rules()[0].api_groups(), std::vector<std::string_view>{""});
  EXPECT_FALSE(role.is_aggregated());
  auto binding = make<ClusterRoleBinding>("r");
  binding.set_role("ClusterRole", "r");
  binding.add_service_account("b", "s");
  EXPECT_EQ(binding.to_text(), R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
                               R"("metadata":{"name":"r"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
                               R"("kind":"ClusterRole","name":"r"},)"
                               R"("subjects":[{"kind":"ServiceAccount","name":"s","namespace":"b"}]})");
  EXPECT_EQ(binding.subjects()[0].namespace_name(), "b");
}

TEST(KindsTest, ReadAnApiService) {
  const auto service = parse<APIService>(R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",
    "metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":"metrics.k8s.io","version":"v1beta1",
    "service":{"name":"s","namespace":"b"}},"status":{"conditions":[{"type":"Available","status":"True"}]}})");
  EXPECT_EQ(service.group(), "metrics.k8s.io");
  EXPECT_EQ(service.service_name(), "s");
  EXPECT_TRUE(service.is_available());
}

TEST(KindsTest, KeepTheMicrosecondsOfALease) {
  auto lease = make<Lease>("l", "b");
  const WallTime time = parse_micro_time("2026-01-02T03:04:05.000012Z").value();
  lease.set_acquire_time(time);
  lease.set_renew_time(time);
  EXPECT_EQ(lease.acquire_time(), "2026-01-02T03:04:05.000012Z");
  EXPECT_EQ(lease.renew_time(), "2026-01-02T03:04:05.000012Z");
}

}  // namespace
}  // namespace fairway::k8s
