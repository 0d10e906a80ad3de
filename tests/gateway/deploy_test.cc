// SPDX-License-Identifier: Apache-2.0

// deploy/gateway: accepted by an API server, restricted, and the rights that the controller needs and no
// more.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "apiserver/server.h"
#include "base/base64.h"
#include "base/file.h"
#include "gateway/controller.h"
#include "k8s/conditions.h"
#include "k8s/core.h"
#include "k8s/documents.h"
#include "kube/client/client.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"
#include "testing/api_server.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

const std::string folder = FAIRWAY_SOURCE_DIR "/deploy/gateway/";
const k8s::GroupVersionResource gateways{"gateway.networking.k8s.io", "v1", "gateways"};
const k8s::GroupVersionResource secrets = k8s::Secret::resource.group_version_resource();

/// Returns the text of the files of the kustomization.
std::string manifests() {
  const auto list = k8s::read_documents(read_file(folder + "kustomization.yaml").value());
  std::string text;
  for (const std::string_view file : k8s::View(list->front().value.get_object()).texts("resources"))
    text += "---\n" + read_file(folder + std::string(file)).value();
  return text;
}

std::vector<k8s::Dynamic> objects_of(const std::string& text) {
  std::vector<k8s::Dynamic> objects;
  auto documents = k8s::read_documents(text);
  for (k8s::Document& document : documents.value())
    objects.push_back(k8s::Dynamic::from(std::move(document.value)).value());
  return objects;
}

k8s::Dynamic one_of_kind(const std::string& kind) {
  const auto objects = objects_of(manifests());
  const auto found = std::ranges::find(objects, kind, &k8s::Dynamic::kind);
  EXPECT_NE(found, objects.end()) << kind;
  return *found;
}

/// Expects of a container what the Pod security standard `restricted` asks for, and that its file system is
/// read-only.
void expect_restricted(const k8s::View& container) {
  const std::string_view name = container.text("name");
  EXPECT_EQ(container.find_flag("securityContext.allowPrivilegeEscalation"), false) << name;
  EXPECT_TRUE(container.flag("securityContext.readOnlyRootFilesystem")) << name;
  EXPECT_EQ(container.texts("securityContext.capabilities.drop"), std::vector<std::string_view>{"ALL"})
      << name;
  EXPECT_TRUE(container.has("resources.limits.memory")) << name;
}

class GatewayDeployment : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = apiserver::EmbeddedServer::start();
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    for (const std::string& file :
         {std::string(FAIRWAY_SOURCE_DIR "/examples/cluster/gateway/definitions.yaml"),
          folder + "parameters-crd.yaml"}) {
      const auto applied = server_->apply(read_file(file).value(), file);
      ASSERT_TRUE(applied) << applied.error().message;
    }
    server_->wait_until_current();
    const auto applied = server_->apply(manifests(), "deploy/gateway");
    ASSERT_TRUE(applied) << applied.error().message;
    client_ = testing::client_with(*server_, server_->admin()).value();
  }

  /// Starts the controller of the manifests, with the rights that they give it and nothing on the server
  /// beside them.
  void start(std::unique_ptr<testing::Process>& out) {
    auto secret = k8s::make<k8s::Secret>("token");
    secret.set_namespace_name("fairway-gateway");
    secret.set("type", "kubernetes.io/service-account-token");
    secret.set_entry("metadata.annotations", "kubernetes.io/service-account.name", "fairway-gateway");
    ASSERT_TRUE(client_->create(secrets, secret));
    std::string token;
    ASSERT_TRUE(eventually([&] {
      const auto read = client_->get(secrets, {"fairway-gateway", "token"});
      if (read) token = base64_decode(read->text("data.token")).value_or("");
      return !token.empty();
    }));
    temporary_.write(
        "kubeconfig",
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "clusters: [{name: c, cluster: {server: \"" +
            server_->url() + "\", certificate-authority-data: \"" + base64_encode(server_->authority()) +
            "\"}}]\nusers: [{name: u, user: {token: \"" + token +
            "\"}}]\ncontexts: [{name: c, context: {cluster: c, user: u, namespace: fairway-gateway}}]\n");
    EXPECT_EQ(one_of_kind("Deployment").text("spec.template.spec.serviceAccountName"), "fairway-gateway");
    // What `fairway gateway` hands over to.
    const auto program = std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway";
    std::vector<std::string> command{"/usr/bin/env", "-u", "FAIRWAY_ENVOY", program.string()};
    const k8s::Dynamic deployment = one_of_kind("Deployment");
    const auto containers = deployment.items("spec.template.spec.containers");
    const auto words = containers.front().texts("command"), more = containers.front().texts("args");
    EXPECT_EQ(words, (std::vector<std::string_view>{"fairway", "gateway"}));
    EXPECT_NE(std::ranges::find(more, "--status-listen=:8081"), more.end()) << "probes come from outside";
    for (const std::string_view flag : more) {
      // Paths and addresses of the container.
      if (!flag.starts_with("--data=") && !flag.starts_with("--envoy=") && !flag.starts_with("--replica-") &&
          !flag.starts_with("--status-listen="))
        command.emplace_back(flag);
    }
    for (const std::string& flag :
         {"--kubeconfig=" + (temporary_ / "kubeconfig").string(), std::string("--status-listen=127.0.0.1:0"),
          std::string("--xds-listen=127.0.0.1:0"), std::string("--replica-listen=127.0.0.1:0")})
      command.push_back(flag);
    out = std::make_unique<testing::Process>(command, log_path());
  }
  std::string log_path() const { return (temporary_ / "log").string(); }
  std::string log() const { return read_file(log_path()).value_or(""); }
  /// Returns a condition of the Gateway default/web: "True Programmed".
  std::string condition(const std::string& type) const {
    const auto gateway = client_->get(gateways, {"default", "web"});
    const auto found = gateway ? k8s::find_condition(*gateway, type) : std::nullopt;
    return found ? std::string(to_string(found->status())) + " " + std::string(found->reason()) : "none";
  }

  const testing::TempDirectory temporary_;
  std::unique_ptr<apiserver::EmbeddedServer> server_;
  std::shared_ptr<kube::Client> client_;
};

TEST_F(GatewayDeployment, IsAcceptedAndRestricted) {
  const k8s::Dynamic space = one_of_kind("Namespace");
  EXPECT_EQ(space.map("metadata.labels").find("pod-security.kubernetes.io/enforce"), "restricted");
  const k8s::Dynamic deployment = one_of_kind("Deployment");
  EXPECT_GE(deployment.integer("spec.replicas"), 2);
  const k8s::View pod = deployment.at("spec.template.spec");
  EXPECT_TRUE(pod.flag("securityContext.runAsNonRoot"));
  EXPECT_GT(pod.integer("securityContext.runAsUser"), 0);
  EXPECT_EQ(pod.text("securityContext.seccompProfile.type"), "RuntimeDefault");
  // The only one that the standard allows of those that would help.
  for (const k8s::View& one : pod.items("securityContext.sysctls"))
    EXPECT_EQ(one.text("name"), "net.ipv4.ip_unprivileged_port_start");
  for (const char* key : {"hostNetwork", "hostPID", "hostIPC"}) EXPECT_FALSE(pod.has(key)) << key;
  for (const k8s::View& volume : pod.items("volumes")) EXPECT_FALSE(volume.has("hostPath"));
  const auto containers = pod.items("containers");
  ASSERT_EQ(containers.size(), 1U);
  const k8s::View& container = containers.front();
  expect_restricted(container);
  EXPECT_EQ(container.text("livenessProbe.httpGet.path"), "/livez");
  EXPECT_EQ(container.text("readinessProbe.httpGet.path"), "/readyz");
  // Envoy is where the controller looks for it.
  const auto first = pod.items("initContainers");
  ASSERT_EQ(first.size(), 1U);
  expect_restricted(first.front());
  const auto copies = first.front().texts("command"), flags = container.texts("args");
  ASSERT_EQ(copies.size(), 3U);
  EXPECT_EQ(std::ranges::count(flags, "--envoy=" + std::string(copies.back())), 1) << copies.back();
  // Service and budget are about the Pods of the Deployment.
  const json::Value labels = *deployment.find("spec.template.metadata.labels");
  EXPECT_EQ(*one_of_kind("Service").find("spec.selector"), labels);
  EXPECT_EQ(*one_of_kind("PodDisruptionBudget").find("spec.selector.matchLabels"), labels);
  // Envoy listens on the port of the listener.
  const k8s::Dynamic service = one_of_kind("Service");
  for (const k8s::View& port : service.items("spec.ports"))
    EXPECT_EQ(port.integer("port"), port.integer("targetPort"));
}

// Each kind that the controller watches may be read, and nothing else.
TEST_F(GatewayDeployment, MayReadWhatTheControllerWatches) {
  std::set<std::string> watched, readable, written;
  for (const k8s::ApiResource& kind : kinds_that_matter())
    watched.insert(kind.kind.group + "/" + kind.plural);
  const k8s::Dynamic role = one_of_kind("ClusterRole");
  for (const k8s::View& rule : role.items("rules")) {
    const auto verbs = rule.texts("verbs");
    EXPECT_EQ(std::ranges::find(verbs, "*"), verbs.end());
    for (const std::string_view group : rule.texts("apiGroups")) {
      for (const std::string_view resource : rule.texts("resources")) {
        const std::string name = std::string(group) + "/" + std::string(resource);
        (verbs == std::vector<std::string_view>{"get", "list", "watch"} ? readable : written).insert(name);
      }
    }
  }
  EXPECT_EQ(readable, watched);
  for (const std::string& name : written) {
    const bool is_applied = name == "/services" || name == "discovery.k8s.io/endpointslices";
    const bool has_finalizer = name == "gateway.networking.k8s.io/gatewayclasses";
    EXPECT_TRUE(is_applied || has_finalizer || name == "/events" || name.ends_with("/status")) << name;
  }
}

TEST_F(GatewayDeployment, GivesTheControllerTheRightsItNeeds) {
  if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
  std::unique_ptr<testing::Process> process;
  ASSERT_NO_FATAL_FAILURE(start(process));
  const auto applied = server_->apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: default}, "
      "spec: {gatewayClassName: fairway, listeners: [{name: http, port: 80, protocol: HTTP}, {name: other, "
      "port: 81, protocol: HTTP}]}}",
      "test");
  ASSERT_TRUE(applied) << applied.error().message;
  // The load balancer has no address yet.
  EXPECT_TRUE(eventually([&] { return condition("Programmed") == "False AddressNotAssigned"; }))
      << condition("Programmed") << log();
  const k8s::GroupVersionResource services{"", "v1", "services"};
  ASSERT_TRUE(eventually([&] {
    auto service = client_->get(services, {"fairway-gateway", "fairway-gateway"});
    if (!service) return false;
    service->set("status.loadBalancer.ingress", json::Array{json::Object{{"ip", "203.0.113.7"}}});
    return client_->replace(services, *service, "status").has_value();
  }));
  EXPECT_TRUE(eventually([&] { return condition("Programmed") == "False Pending"; }))
      << condition("Programmed") << log();
  EXPECT_EQ(condition("Accepted"), "True ListenersNotValid");
  EXPECT_EQ(client_->get(gateways, {"default", "web"})->items("status.addresses").at(0).text("value"),
            "203.0.113.7");
  EXPECT_TRUE(eventually([&] { return client_->get(services, {"default", "web-fairway"}).has_value(); }))
      << log();
  EXPECT_TRUE(eventually([&] {
    const auto events = client_->list({"", "v1", "events"}, "default");
    return events && std::ranges::any_of(events->items, [](const k8s::Dynamic& event) {
             return event.text("involvedObject.name") == "web" && event.text("reason") == "NotProgrammed" &&
                    event.text("message").starts_with("AddressNotAssigned: ");
           });
  })) << log();
  // What replicas need is there, too.
  EXPECT_TRUE(client_->get(secrets, {"fairway-gateway", "fairway-gateway-replicas"}));
  const auto leases = client_->list({"coordination.k8s.io", "v1", "leases"}, "fairway-gateway");
  ASSERT_TRUE(leases) << leases.error().message;
  EXPECT_EQ(leases->items.size(), 2U) << "of the election, and of the replica";
  EXPECT_EQ(log().find("forbidden"), std::string::npos) << log();
}

// The ClusterRole of the last release does not name ClusterTrustBundles, and some servers let nobody read
// them.
TEST_F(GatewayDeployment, ServesWithoutTheRightsOfALaterRelease) {
  if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
  const k8s::GroupVersionResource roles{"rbac.authorization.k8s.io", "v1", "clusterroles"};
  ASSERT_TRUE(client_->remove({"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
                              {"", "system:cluster-trust-bundle-discovery"}));
  auto role = client_->get(roles, {"", "fairway-gateway"});
  ASSERT_TRUE(role);
  const json::Value all = *role->find("rules");
  json::Array rules;
  for (const json::Value& rule : all.get_array()) {
    const auto resources = k8s::View(rule.get_object()).texts("resources");
    if (std::ranges::find(resources, "clustertrustbundles") == resources.end()) rules.push_back(rule);
  }
  ASSERT_EQ(rules.size() + 1, all.get_array().size());
  role->set("rules", rules);
  role = client_->replace(roles, *role);
  ASSERT_TRUE(role);
  std::unique_ptr<testing::Process> process;
  ASSERT_NO_FATAL_FAILURE(start(process));
  const auto applied = server_->apply(
      "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: web, namespace: default}, "
      "spec: {gatewayClassName: fairway, listeners: [{name: http, port: 80, protocol: HTTP}]}}",
      "test");
  ASSERT_TRUE(applied) << applied.error().message;
  // The load balancer has no address yet: that is all that is missing.
  EXPECT_TRUE(eventually([&] { return condition("Programmed") == "False AddressNotAssigned"; }))
      << condition("Programmed") << log();
  EXPECT_NE(log().find("a kind may not be listed, and counts as having no objects until the role permits it"),
            std::string::npos)
      << log();
  // The right counts as soon as it is given.
  role->set("rules", all.get_array());
  ASSERT_TRUE(client_->replace(roles, *role));
  EXPECT_TRUE(eventually([&] { return log().find("a kind is served now") != std::string::npos; })) << log();
}

}  // namespace
}  // namespace fairway::gateway
