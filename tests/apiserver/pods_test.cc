// SPDX-License-Identifier: Apache-2.0

// What Pods and Nodes are given when they are created, and what of a Pod may change. kubectl beside a real
// server is in tests/conformance/kube/kubectl_test.cc.
#include <string>
#include <utility>
#include <vector>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource pods{"", "v1", "pods"}, nodes{"", "v1", "nodes"};

k8s::Dynamic pod(const std::string& name, const std::string& container = "", const std::string& spec = "") {
  return object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                   R"(","namespace":"default"},"spec":{"containers":[{"name":"main","image":"a:1")" +
                   container + "}]" + spec + "}}");
}

TEST_F(OnServer, PodsGetWhatAdmissionGivesThem) {
  const auto made = client->create(pods, pod("plain"));
  ASSERT_OK(made);
  EXPECT_EQ(made->integer("spec.priority", -1), 0);
  EXPECT_EQ(made->text("spec.preemptionPolicy"), "PreemptLowerPriority");
  EXPECT_EQ(made->text("status.qosClass"), "BestEffort");
  std::vector<std::string> keys;
  for (const k8s::View& one : made->items("spec.tolerations")) {
    keys.emplace_back(one.text("key"));
    EXPECT_EQ(one.integer("tolerationSeconds"), 300);
  }
  EXPECT_EQ(keys,
            (std::vector<std::string>{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}));
}

TEST_F(OnServer, PodsKeepThePriorityThatAReplacementOmits) {
  const auto made = client->create(pods, pod("written"));
  ASSERT_OK(made);
  k8s::Dynamic once_more = *made;
  once_more.erase("spec.priority");
  once_more.erase("spec.preemptionPolicy");
  const auto replaced = client->replace(pods, once_more);
  ASSERT_OK(replaced);
  EXPECT_EQ(replaced->integer("spec.priority", -1), 0);
  EXPECT_EQ(replaced->text("spec.preemptionPolicy"), "PreemptLowerPriority");
}

TEST_F(OnServer, StatefulSetsAskNotWhetherTheKindOfClaimsIsSaid) {
  const k8s::GroupVersionResource sets{"apps", "v1", "statefulsets"};
  const auto set = [](const std::string& kind) {
    return object_of(
        R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s","namespace":"default"},"spec":)"
        R"({"selector":{"matchLabels":{"a":"b"}},"serviceName":"s","template":{"metadata":{"labels":{"a":"b"}},)"
        R"("spec":{"containers":[{"name":"main","image":"a:1"}]}},"volumeClaimTemplates":[{)" +
        kind +
        R"("metadata":{"name":"d"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}})");
  };
  const auto made = client->create(sets, set(""));
  ASSERT_OK(made);
  k8s::Dynamic said = set(R"("apiVersion":"v1","kind":"PersistentVolumeClaim",)");
  said.set("metadata.resourceVersion", made->text("metadata.resourceVersion"));
  ASSERT_OK(client->replace(sets, said));
}

TEST_F(OnServer, PodsThatTolerateAbsentNodesKeepTheirOwnTolerations) {
  const auto of_all = client->create(pods, pod("all", "", R"(,"tolerations":[{"operator":"Exists"}])"));
  ASSERT_OK(of_all);
  EXPECT_EQ(of_all->items("spec.tolerations").size(), 1U);
  const auto of_one =
      client->create(pods, pod("one", "",
                               R"(,"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
                               R"("effect":"NoExecute","tolerationSeconds":5}])"));
  ASSERT_OK(of_one);
  EXPECT_EQ(of_one->items("spec.tolerations").size(), 2U);
  EXPECT_EQ(of_one->items("spec.tolerations")[0].integer("tolerationSeconds"), 5);
}

TEST_F(OnServer, PodsHaveTheClassOfServiceOfTheirResources) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {R"(,"resources":{"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
      {R"(,"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m"}})", "Burstable"},
      {R"(,"resources":{"limits":{"cpu":"1"}})", "Burstable"},
      {R"(,"resources":{"requests":{"memory":"1Gi"}})", "Burstable"},
      {R"(,"resources":{"requests":{"memory":"0"}})", "BestEffort"},
      {R"(,"resources":{"requests":{"ephemeral-storage":"1Gi"}})", "BestEffort"},
  };
  int number = 0;
  for (const auto& [resources, expected] : cases) {
    const auto made = client->create(pods, pod("p" + std::to_string(++number), resources));
    ASSERT_OK(made);
    EXPECT_EQ(made->text("status.qosClass"), expected) << resources;
  }
}

TEST_F(OnServer, PodsOfSystemClassesHaveTheirPriority) {
  const auto made = client->create(pods, pod("high", "", R"(,"priorityClassName":"system-node-critical")"));
  ASSERT_OK(made);
  EXPECT_EQ(made->integer("spec.priority"), 2'000'001'000);
}

TEST_F(OnServer, SpecsOfPodsDoNotChangeButForImagesTolerationsAndDeadlines) {
  ASSERT_OK(client->create(pods, pod("box", "", R"(,"nodeName":"here","activeDeadlineSeconds":60)")));
  const auto patch = [&](const char* text) {
    return client->patch(pods, {"default", "box"}, k8s::PatchType::strategic, parsed(text));
  };
  for (
      const char* const allowed :
      {R"({"spec":{"containers":[{"name":"main","image":"a:2"}]}})", R"({"metadata":{"labels":{"a":"b"}}})",
       R"({"spec":{"activeDeadlineSeconds":30}})",
       R"({"spec":{"tolerations":[{"key":"more","operator":"Exists"},{"key":"node.kubernetes.io/not-ready",)"
       R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":)"
       R"("node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}})"}) {
    EXPECT_OK(patch(allowed));
  }
  for (const char* const refused :
       {R"({"spec":{"nodeName":"there"}})", R"({"spec":{"containers":[{"name":"other","image":"b:1"}]}})",
        R"({"spec":{"containers":[{"name":"main","command":["x"]}]}})",
        R"({"spec":{"activeDeadlineSeconds":90}})", R"({"spec":{"activeDeadlineSeconds":null}})",
        R"({"spec":{"tolerations":[]}})", R"({"spec":{"terminationGracePeriodSeconds":1}})",
        R"({"spec":{"schedulingGates":[{"name":"example.com/late"}]}})",
        R"({"spec":{"nodeSelector":{"a":"b"}}})"}) {
    const auto outcome = patch(refused);
    ASSERT_FALSE(outcome) << refused;
    EXPECT_TRUE(outcome.error().is(k8s::reason::invalid)) << refused << ": " << outcome.error().message;
  }
}

TEST_F(OnServer, GatesOfPodsAreOnlyTakenAway) {
  ASSERT_OK(client->create(
      pods, pod("gated", "", R"(,"schedulingGates":[{"name":"example.com/a"},{"name":"example.com/b"}])")));
  const auto patch = [&](const char* text) {
    return client->patch(pods, {"default", "gated"}, k8s::PatchType::merge, parsed(text));
  };
  EXPECT_OK(patch(R"({"spec":{"nodeSelector":{"a":"b"}}})"));
  EXPECT_FALSE(patch(R"({"spec":{"schedulingGates":[{"name":"example.com/c"}]}})"));
  EXPECT_OK(patch(R"({"spec":{"schedulingGates":null}})"));
  EXPECT_FALSE(patch(R"({"spec":{"nodeSelector":{"a":"c"}}})"));
}

TEST_F(OnServer, NodesAreNotReadyAtFirst) {
  const auto made =
      client->create(nodes, object_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})"));
  ASSERT_OK(made);
  ASSERT_EQ(made->items("spec.taints").size(), 1U);
  EXPECT_EQ(made->items("spec.taints")[0].text("key"), "node.kubernetes.io/not-ready");
  // Who takes the taint away is not undone.
  k8s::Dynamic ready = *made;
  ready.erase("spec.taints");
  const auto updated = client->replace(nodes, ready);
  ASSERT_OK(updated);
  EXPECT_TRUE(updated->items("spec.taints").empty());
}

}  // namespace
}  // namespace fairway::apiserver::testing
