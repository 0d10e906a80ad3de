// SPDX-License-Identifier: Apache-2.0

// deploy/: accepted by an API server, restricted, and enough rights for what runs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/base64.h"
#include "k8s/core.h"
#include "k8s/documents.h"
#include "k8s/kinds/workloads.h"
#include "oci/signing.h"
#include "operators/fake_releases.h"
#include "operators/operator_case.h"
#include "support/loopback_server.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::eventually;

const std::string deploy = FAIRWAY_SOURCE_DIR "/deploy/";

/// Returns the objects that `kubectl apply -k` would apply; without kubectl the files one by one.
std::string rendered(const std::string& folder, const fairway::testing::TempDirectory& temporary) {
  if (std::system("command -v kubectl >/dev/null 2>&1") == 0) {
    const std::string output = (temporary / "rendered").string();
    std::filesystem::remove(output);
    fairway::testing::Process kubectl({"kubectl", "kustomize", deploy + folder}, output);
    EXPECT_EQ(kubectl.wait(), 0) << read_file(output).value_or("");
    return read_file(output).value_or("");
  }
  const auto list = k8s::read_documents(read_file(deploy + folder + "/kustomization.yaml").value());
  std::string text;
  for (const std::string_view file : k8s::View(list->front().value.get_object()).texts("resources"))
    text += "---\n" + read_file(deploy + folder + "/" + std::string(file)).value();
  return text;
}

std::vector<k8s::Dynamic> objects_of(const std::string& text) {
  std::vector<k8s::Dynamic> objects;
  auto documents = k8s::read_documents(text);
  EXPECT_TRUE(documents) << documents.error().message;
  if (!documents) return objects;
  for (k8s::Document& document : *documents) {
    auto object = k8s::Dynamic::from(std::move(document.value));
    EXPECT_TRUE(object);
    if (object) objects.push_back(*std::move(object));
  }
  return objects;
}

/// Checks that Pods meet the Pod security standard "restricted" of Kubernetes, and can be operated.
void check_pods(const k8s::Dynamic& deployment) {
  const std::string name(deployment.name());
  EXPECT_GE(deployment.integer("spec.replicas"), 2) << name;
  const k8s::View pod = deployment.at("spec.template.spec");
  EXPECT_TRUE(pod.flag("securityContext.runAsNonRoot")) << name;
  EXPECT_GT(pod.integer("securityContext.runAsUser"), 0) << name;
  EXPECT_EQ(pod.text("securityContext.seccompProfile.type"), "RuntimeDefault") << name;
  for (const char* key : {"hostNetwork", "hostPID", "hostIPC"}) EXPECT_FALSE(pod.has(key)) << name;
  for (const k8s::View& volume : pod.items("volumes")) EXPECT_FALSE(volume.has("hostPath")) << name;
  const auto containers = pod.items("containers");
  ASSERT_EQ(containers.size(), 1U) << name;
  const k8s::View& container = containers.front();
  EXPECT_EQ(container.find_flag("securityContext.allowPrivilegeEscalation"), false) << name;
  EXPECT_TRUE(container.flag("securityContext.readOnlyRootFilesystem")) << name;
  EXPECT_EQ(container.texts("securityContext.capabilities.drop"), std::vector<std::string_view>{"ALL"});
  std::set<std::string_view> ports;
  for (const k8s::View& port : container.items("ports")) ports.insert(port.text("name"));
  for (const char* probe : {"livenessProbe", "readinessProbe"}) {
    const k8s::View get = container.at(probe).at("httpGet");
    EXPECT_EQ(get.text("path"), std::string_view(probe) == "livenessProbe" ? "/livez" : "/readyz") << name;
    EXPECT_TRUE(ports.contains(get.text("port"))) << name;
  }
  EXPECT_TRUE(container.has("resources.requests.memory")) << name;
  EXPECT_TRUE(container.has("resources.limits.memory")) << name;
}

bool is_workload(const k8s::Dynamic& object) {
  return object.kind() == "Deployment" || object.kind() == "StatefulSet";
}

class DeployCase : public OperatorCase {
 protected:
  /// Returns a token of a ServiceAccount, as a Secret gives it.
  std::string token_of(const std::string& namespace_name, const std::string& account) {
    const auto secrets = k8s::Secret::resource.group_version_resource();
    auto secret = k8s::make<k8s::Secret>("token");
    secret.set_namespace_name(namespace_name);
    secret.set("type", "kubernetes.io/service-account-token");
    secret.set_entry("metadata.annotations", "kubernetes.io/service-account.name", account);
    const auto created = client_->create(secrets, secret);
    EXPECT_TRUE(created) << created.error().message;
    std::string token;
    EXPECT_TRUE(eventually([&] {
      const auto read = client_->get(secrets, {namespace_name, "token"});
      if (read) token = base64_decode(read->text("data.token")).value_or("");
      return !token.empty();
    }));
    return token;
  }
};

TEST_F(DeployCase, IsAcceptedAndRestricted) {
  for (const std::string folder : {"operator", "update-service"}) {
    const std::string text = rendered(folder, folder_);
    const auto applied = server_->apply(text, folder);
    ASSERT_TRUE(applied) << applied.error().message;
    std::map<std::string, int> kinds;
    std::vector<k8s::Dynamic> objects = objects_of(text);
    for (const k8s::Dynamic& object : objects) {
      ++kinds[std::string(object.kind())];
      if (is_workload(object)) check_pods(object);
      if (object.kind() == "Namespace") {
        EXPECT_EQ(object.map("metadata.labels").find("pod-security.kubernetes.io/enforce"), "restricted");
      }
    }
    const bool has_volumes = folder == "update-service";
    EXPECT_EQ(kinds["Deployment"], has_volumes ? 0 : 1);
    EXPECT_EQ(kinds["StatefulSet"], has_volumes ? 1 : 0);
    EXPECT_EQ(kinds["PodDisruptionBudget"], 1);
    EXPECT_EQ(kinds["Service"], has_volumes ? 2 : 1);
    // Services and budget are about the Pods of the workload.
    const auto workload = std::ranges::find_if(objects, is_workload);
    ASSERT_NE(workload, objects.end());
    const json::Value labels = *workload->find("spec.template.metadata.labels");
    for (const k8s::Dynamic& object : objects) {
      if (object.kind() == "Service") {
        EXPECT_EQ(*object.find("spec.selector"), labels);
      } else if (object.kind() == "PodDisruptionBudget") {
        EXPECT_EQ(*object.find("spec.selector.matchLabels"), labels);
      }
    }
  }
}

// The operator of the manifests, with the rights that they give it and nothing on the server beside them.
TEST_F(DeployCase, GivesTheOperatorTheRightsItNeeds) {
  auto server = apiserver::EmbeddedServer::start();
  ASSERT_TRUE(server) << server.error().message;
  const std::string manifests = rendered("operator", folder_);
  const auto applied = (*server)->apply(manifests, "deploy/operator");
  ASSERT_TRUE(applied) << applied.error().message;
  folder_.write("admin", (*server)->kubeconfig());
  client_ =
      kube::Client::create(kube::load_client_config({.file = (folder_ / "admin").string()}).value()).value();
  const std::string token = token_of("fairway-system", "fairway-operator");
  folder_.write(
      "kubeconfig",
      "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
      "clusters: [{name: c, cluster: {server: \"" +
          (*server)->url() + "\", certificate-authority-data: \"" + base64_encode((*server)->authority()) +
          "\"}}]\nusers: [{name: u, user: {token: \"" + token +
          "\"}}]\ncontexts: [{name: c, context: {cluster: c, user: u, namespace: fairway-system}}]\n");

  std::vector<std::string> command{FAIRWAY_BINARY};
  for (const k8s::Dynamic& object : objects_of(manifests)) {
    if (object.kind() != "Deployment") continue;
    const k8s::View pod = object.at("spec.template.spec");
    EXPECT_EQ(pod.text("serviceAccountName"), "fairway-operator");
    const auto containers = pod.items("containers");
    const auto words = containers.front().texts("command"), more = containers.front().texts("args");
    ASSERT_FALSE(words.empty());
    EXPECT_NE(std::ranges::find(more, "--status-listen=:8081"), more.end()) << "probes come from outside";
    command.insert(command.end(), words.begin() + 1, words.end());
    for (const std::string_view flag : more) {
      // A folder and an address of the container.
      if (!flag.starts_with("--data=") && !flag.starts_with("--status-listen=")) command.emplace_back(flag);
    }
  }
  FakeReleases releases;
  releases.add("4.6.23", {{"0000_05_w_1.yaml", widgets_crd("v1alpha1")},
                          {"0000_10_w_1.yaml", widget_yaml("v1alpha1", "w")}});
  releases.add("4.6.24",
               {{"0000_05_w_1.yaml", widgets_crd("v1")},
                {"0000_10_a_1.yaml", map_yaml("a", "24")},
                {"0000_10_b_1.yaml",
                 "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: all}\n"
                 "rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]\n"}});
  Stubs stubs;
  json::Value round = json::Object{
      {"cincinnati",
       json::Object{{"body", json::parse(R"({"nodes":[{"version":"4.6.23","payload":")" +
                                         releases.image("4.6.23") + R"("},{"version":"4.6.24","payload":")" +
                                         releases.image("4.6.24") + R"("}],"edges":[[0,1]]})")
                                 .value()}}},
      {"promql", json::Object{}}};
  stubs.begin(round);
  stubs.serve_channels(R"({"channels":{"stable-4.6":{"description":"For all."},"fast-4.6":{}}})");
  for (const std::string& more :
       {std::string("--kubeconfig=" + (folder_ / "kubeconfig").string()),
        std::string("--status-listen=127.0.0.1:0"), "--upstream=" + stubs.upstream(),
        std::string("--registry-plain-http"), std::string("--migration-settle=0s"),
        "--release=4.6.23=" + releases.image("4.6.23")})
    command.push_back(more);
  fairway::testing::Process process(command, log_path());
  ASSERT_TRUE(eventually([&] { return status().is_object(); })) << log();
  ASSERT_TRUE(eventually([&] {
    auto cluster = client_->get(kind_, key_);
    if (!cluster) return false;
    cluster->set("spec.channel", "stable-4.6");
    return client_->replace(kind_, *cluster).has_value();
  }));
  EXPECT_TRUE(eventually([&] { return json::to_text(status()).contains("4.6.24"); })) << log();
  const auto channels = openshift::Channel::resource.group_version_resource();
  EXPECT_TRUE(eventually([&] { return client_->get(channels, {"", "stable-4.6"}).has_value(); })) << log();
  stubs.serve_channels(R"({"channels":{"stable-4.6":{"description":"For most."}}})");
  set_clock(300);
  EXPECT_TRUE(eventually([&] { return !client_->get(channels, {"", "fast-4.6"}).has_value(); })) << log();
  EXPECT_TRUE(eventually([&] {
    const auto list = client_->list(k8s::Event::resource.group_version_resource(), "default");
    return list && std::ranges::any_of(list->items, [](const k8s::Dynamic& event) {
             return event.text("reason") == "UpdateAvailable";
           });
  })) << log();
  // As it comes, the folder asks for keys: no release is applied before somebody has decided.
  EXPECT_TRUE(eventually([&] {
    return json::to_text(condition_of(status(), "fairway.dev/ReleaseKeysMissing"))
        .contains("the ConfigMap fairway-system/fairway-release-keys, verifier-public-key-releases");
  })) << log();
  ASSERT_TRUE(eventually([&] {
    auto cluster = client_->get(kind_, key_);
    if (!cluster) return false;
    cluster->set("spec.desiredUpdate", json::Object{{"version", "4.6.24"}});
    return client_->replace(kind_, *cluster).has_value();
  }));
  EXPECT_TRUE(eventually([&] {
    return text(condition_of(status(), "ReleaseAccepted"), "reason") == "RetrievePayload";
  })) << log();
  if (!fairway::testing::Gpg::installed()) GTEST_SKIP() << "gpg is not installed (Debian's package gnupg)";
  fairway::testing::Gpg gpg(folder_ / "gpg");
  ASSERT_TRUE(gpg.make_key("releases"));
  ASSERT_TRUE(gpg.export_key("releases", folder_ / "key"));
  const std::string digest = releases.image("4.6.24").substr(releases.image("4.6.24").find("sha256:"));
  const std::string signature =
      gpg.sign("releases", fairway::testing::signature_content(digest, "a.example/b"));
  const auto store = fairway::testing::serve_on_loopback(
      "GET",
      [&](const http::Request& request) {
        return request.path == "/sha256=" + digest.substr(7) + "/signature-1"
                   ? http::Response::text(200, signature)
                   : http::Response::text(404, "none");
      },
      {});
  const auto maps = k8s::ConfigMap::resource.group_version_resource();
  auto keys = client_->get(maps, {"fairway-system", "fairway-release-keys"});
  ASSERT_TRUE(keys) << keys.error().message;
  keys->set("data", json::Object{{"verifier-public-key-releases", read_file(folder_ / "key").value()},
                                 {"store-releases", "http://" + store->address()}});
  ASSERT_TRUE(client_->replace(maps, *keys));
  // A release may hold what the operator itself may not write, and its objects are migrated.
  EXPECT_TRUE(eventually([&] {
    const json::Value now = status();
    const json::Value& history = member(now, "history");
    return history.is_array() && history.as_array().size() == 2 &&
           text(history.as_array().at(0), "state") == "Completed";
  })) << json::to_text(status())
      << log();
  const k8s::GroupVersionResource roles{"rbac.authorization.k8s.io", "v1", "clusterroles"},
      definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  EXPECT_TRUE(client_->get(roles, {"", "all"}));
  EXPECT_EQ(client_->get(definitions, {"", "widgets.example.com"})->texts("status.storedVersions"),
            std::vector<std::string_view>{"v1"});
  EXPECT_EQ(log().find("forbidden"), std::string::npos) << log();
}

// Whoever may write the keys of releases decides what runs in the cluster.
TEST(DeployedOperator, GivesNobodyTheRightToWriteKeysOfReleases) {
  const fairway::testing::TempDirectory folder;
  bool is_read = false;
  for (const k8s::Dynamic& object : objects_of(rendered("operator", folder))) {
    if (object.kind() != "Role" && object.kind() != "ClusterRole") continue;
    for (const k8s::View& rule : object.items("rules")) {
      const auto resources = rule.texts("resources"), verbs = rule.texts("verbs");
      if (std::ranges::none_of(resources, [](auto one) { return one == "configmaps" || one == "*"; }))
        continue;
      for (const std::string_view verb : verbs)
        EXPECT_TRUE(verb == "get" || verb == "list" || verb == "watch") << object.name() << ": " << verb;
      EXPECT_EQ(rule.texts("resourceNames"), std::vector<std::string_view>{"fairway-release-keys"});
      is_read = true;
    }
  }
  EXPECT_TRUE(is_read);
}

// What fails closed is in --data, and a new replica asks the others by the name of the headless Service.
TEST(DeployedService, KeepsItsMemoryOverTheEndOfAPod) {
  const fairway::testing::TempDirectory folder;
  const std::vector<k8s::Dynamic> objects = objects_of(rendered("update-service", folder));
  const auto set = std::ranges::find_if(objects, is_workload);
  ASSERT_NE(set, objects.end());
  const k8s::View pod = set->at("spec.template.spec");
  for (const k8s::View& volume : pod.items("volumes")) EXPECT_NE(volume.text("name"), "data");
  const auto claims = set->at("spec").items("volumeClaimTemplates");
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims.front().text("metadata.name"), "data");
  EXPECT_EQ(set->text("spec.podManagementPolicy"), "Parallel")
      << "one without its volume waits for the others";
  const std::string peers(set->text("spec.serviceName"));
  const auto service = std::ranges::find_if(
      objects, [&](const k8s::Dynamic& one) { return one.kind() == "Service" && one.name() == peers; });
  ASSERT_NE(service, objects.end());
  EXPECT_EQ(service->text("spec.clusterIP"), "None");
  EXPECT_TRUE(service->flag("spec.publishNotReadyAddresses"));
  EXPECT_TRUE(
      read_file(deploy + "update-service/settings.toml").value().contains("[\"" + peers + ":9081\"]"));
}

TEST(DeployedService, KnowsItsSettings) {
  const fairway::testing::TempDirectory folder;
  folder.write("token", "0123456789abcdef");
  fairway::testing::Process process(
      {FAIRWAY_BINARY, "--config", deploy + "update-service/settings.toml", "serve", "--listen=127.0.0.1:0",
       "--status-listen=127.0.0.1:0", "--data=" + (folder / "data").string(), "--peer-listen=127.0.0.1:0",
       "--peers=127.0.0.1:1", "--peer-token-file=" + (folder / "token").string()},
      (folder / "log").string());
  EXPECT_TRUE(eventually(
      [&] { return read_file(folder / "log").value_or("").contains(" serving ") || !process.running(); }));
  EXPECT_TRUE(process.running()) << read_file(folder / "log").value_or("");
}

}  // namespace
}  // namespace fairway::operators::testing
