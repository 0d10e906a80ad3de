// SPDX-License-Identifier: Apache-2.0

// The volume with the token of a Pod's ServiceAccount.
#include <optional>
#include <string>

#include "apiserver/server_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource accounts{"", "v1", "serviceaccounts"}, pods{"", "v1", "pods"};
constexpr std::string_view place = "/var/run/secrets/kubernetes.io/serviceaccount";

class PodTokens : public OnServer {
 protected:
  void SetUp() override {
    for (const char* rest : {R"("mounts"}})", R"("does-not"},"automountServiceAccountToken":false})"}) {
      k8s::Dynamic made =
          object_of(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":)" + std::string(rest));
      made.set_namespace_name("default");
      ASSERT_OK(client->create(accounts, made));
    }
  }
  /// Creates a Pod, whose `spec` has these members besides a container.
  k8s::Dynamic made(const std::string& spec, const std::string& container = "") {
    const auto pod = client->create(
        pods,
        object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","generateName":"p-"},)"
                  R"("spec":{)" +
                  spec + R"(,"containers":[{"name":"c","image":"i")" + container + "}]}}"));
    if (!pod) ADD_FAILURE() << pod.error().message;
    return pod ? *pod : k8s::Dynamic();
  }
  static bool has_token(const k8s::Dynamic& pod) {
    for (const k8s::View& volume : pod.items("spec.volumes"))
      if (volume.text("name").starts_with("kube-api-access-")) return true;
    return false;
  }
};

TEST_F(PodTokens, AreMountedUnlessPodOrAccountDoNotWantIt) {
  struct Case {
    const char *account, *wish;
    bool is_mounted;
  };
  for (const Case& one :
       {Case{"mounts", "", true}, Case{"mounts", "true", true}, Case{"mounts", "false", false},
        Case{"does-not", "", false}, Case{"does-not", "true", true}, Case{"does-not", "false", false}}) {
    std::string spec = R"("serviceAccountName":")" + std::string(one.account) + '"';
    if (*one.wish != '\0') spec += R"(,"automountServiceAccountToken":)" + std::string(one.wish);
    EXPECT_EQ(has_token(made(spec)), one.is_mounted) << spec;
  }
}

TEST_F(PodTokens, AreAVolumeOfTokenAuthorityAndNamespace) {
  const k8s::Dynamic pod = made(
      R"("serviceAccountName":"mounts","initContainers":[{"name":"i","image":"i"}],"volumes":[{"name":"v","emptyDir":{}}])");
  const auto volumes = pod.items("spec.volumes");
  ASSERT_EQ(volumes.size(), 2U);
  const std::string name(volumes[1].text("name"));
  EXPECT_EQ(name.size(), std::string("kube-api-access-").size() + 5);
  EXPECT_EQ(*volumes[1].find("projected"), parsed(R"({"defaultMode":420,"sources":[
    {"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
    {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
    {"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]})"));
  for (const char* list : {"spec.containers", "spec.initContainers"}) {
    const auto mounts = pod.items(list)[0].items("volumeMounts");
    ASSERT_EQ(mounts.size(), 1U) << list;
    EXPECT_EQ(mounts[0].text("name"), name);
    EXPECT_EQ(mounts[0].text("mountPath"), place);
    EXPECT_TRUE(mounts[0].flag("readOnly"));
  }
}

TEST_F(PodTokens, LeaveAPlaceThatIsTaken) {
  const k8s::Dynamic pod =
      made(R"("serviceAccountName":"mounts","volumes":[{"name":"v","emptyDir":{}}])",
           R"(,"volumeMounts":[{"name":"v","mountPath":")" + std::string(place) + R"("}])");
  EXPECT_FALSE(has_token(pod));
  EXPECT_EQ(pod.items("spec.containers")[0].items("volumeMounts").size(), 1U);
}

TEST_F(PodTokens, HaveOneVolumeWhereOneIsThere) {
  const k8s::Dynamic pod =
      made(R"("serviceAccountName":"mounts","volumes":[{"name":"kube-api-access-mine","emptyDir":{}}])");
  EXPECT_EQ(pod.items("spec.volumes").size(), 1U);
  EXPECT_EQ(pod.items("spec.containers")[0].items("volumeMounts")[0].text("name"), "kube-api-access-mine");
}

TEST(PodsOfNewNamespaces, HaveTheTokenOfTheirDefaultAccount) {
  const auto server = start_server();
  const auto client = client_of(*server, {.max_retries = 0});
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(i);
    k8s::Dynamic made = object_of(R"({"apiVersion":"v1","kind":"Namespace"})");
    made.set_name(name);
    ASSERT_OK(client->create(namespaces, made));
    k8s::Dynamic pod = object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},)"
                                 R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
    pod.set_namespace_name(name);
    const auto created = client->create(pods, pod);
    ASSERT_OK(created);
    EXPECT_EQ(created->items("spec.volumes").size(), 1U) << name;
  }
}

constexpr std::string_view applied_pod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: old}, spec: {containers: [{name: c, image: "
    "i}]}}";

// What a create adds to the lists of a Pod is no change of the file's.
TEST(AppliedPods, AreAppliedAgain) {
  const fairway::testing::TempDirectory folder;
  const std::string documents =
      "{apiVersion: v1, kind: Namespace, metadata: {name: old}}\n---\n"
      "{apiVersion: v1, kind: LimitRange, metadata: {name: r, namespace: old}, spec: {limits: [{type: "
      "Container, default: {cpu: 500m}}]}}\n---\n" +
      std::string(applied_pod);
  for (int start = 0; start < 2; ++start) {
    const auto server = start_server({.data = folder / "data"});
    for (int time = 0; time < 2; ++time) ASSERT_OK(server->apply(documents, "pod.yaml"));
    const auto pod = client_of(*server)->get(pods, {"old", "p"});
    ASSERT_OK(pod);
    EXPECT_EQ(pod->items("spec.containers")[0].items("volumeMounts").size(), 1U);
    EXPECT_EQ(pod->items("spec.containers")[0].text("resources.limits.cpu"), "500m");
  }
}

TEST(AppliedPods, HaveAnAccountInNamespacesThatHadNone) {
  const fairway::testing::TempDirectory folder;
  {
    const auto server = start_server({.data = folder / "data", .namespace_defaults = false});
    ASSERT_OK(server->apply("{apiVersion: v1, kind: Namespace, metadata: {name: old}}", "namespace.yaml"));
  }
  const auto server = start_server({.data = folder / "data"});
  EXPECT_OK(server->apply(applied_pod, "pod.yaml"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
