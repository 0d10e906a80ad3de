// SPDX-License-Identifier: Apache-2.0

// The subresources of a Pod that write a part of its spec: ephemeralcontainers and resize. The refusals are
// those of a kube-apiserver 1.36.
#include <string>

#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource pods{"", "v1", "pods"};

class PodParts : public OnServer {
 protected:
  void make_pod(const std::string& name, const std::string& annotations = "",
                const std::string& more = "") const {
    ASSERT_OK(client->create(pods, object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" +
                                             name + R"(","namespace":"default","annotations":{)" +
                                             annotations + R"(}},"spec":{)" + more + R"("containers":[
        {"name":"main","image":"a:1","resources":{"requests":{"cpu":"1","memory":"1Gi"},
         "limits":{"cpu":"2"}}},
        {"name":"side","image":"a:1"}],"initContainers":[{"name":"first","image":"a:1"}]}})")));
  }
  /// Patches a subresource; returns the code, and the message of a refusal.
  std::string patch(const std::string& pod, const std::string& part, const std::string& body,
                    const std::string& type = "application/strategic-merge-patch+json") const {
    const auto reply =
        RawClient(*server, &server->admin())
            .send("PATCH", "/api/v1/namespaces/default/pods/" + pod + (part.empty() ? "" : "/" + part),
                  {{"Content-Type", type}}, body);
    return std::to_string(reply.status) + " " + std::string(body_of(reply).text("message"));
  }
  k8s::Dynamic get(const std::string& pod, const std::string& part = "") const {
    return body_of(
        RawClient(*server, &server->admin())
            .send("GET", "/api/v1/namespaces/default/pods/" + pod + (part.empty() ? "" : "/" + part)));
  }
  static std::string debugger(const std::string& name, const std::string& image = "b:1") {
    return R"({"spec":{"ephemeralContainers":[{"name":")" + name + R"(","image":")" + image + R"("}]}})";
  }
  static std::string resources(const std::string& of_main) {
    return R"({"spec":{"containers":[{"name":"main","resources":)" + of_main + "}]}}";
  }
};

TEST_F(PodParts, ADebuggerIsAdded) {
  make_pod("a");
  EXPECT_EQ(patch("a", "ephemeralcontainers", debugger("one")), "200 ");
  EXPECT_EQ(patch("a", "ephemeralcontainers", debugger("two")), "200 ");
  const k8s::Dynamic pod = get("a", "ephemeralcontainers");
  ASSERT_EQ(pod.items("spec.ephemeralContainers").size(), 2U);
  EXPECT_EQ(pod.items("spec.ephemeralContainers")[0].text("imagePullPolicy"), "IfNotPresent");
  EXPECT_EQ(pod.generation(), 3);
  EXPECT_EQ(pod.json(), get("a").json());
}

TEST_F(PodParts, NothingElseChangesWithIt) {
  make_pod("a");
  k8s::Dynamic pod = get("a");
  pod.set("metadata.labels.x", "1");
  pod.set("metadata.annotations.x", "1");
  pod.set("status.phase", "Failed");
  pod.set("spec.activeDeadlineSeconds", 5);
  pod.array("spec.ephemeralContainers").push_back(json::Object{{"name", "one"}, {"image", "b:1"}});
  const auto reply =
      RawClient(*server, &server->admin())
          .send("PUT", "/api/v1/namespaces/default/pods/a/ephemeralcontainers",
                {{"Content-Type", "application/json"}}, json::to_text(json::Value(pod.json())));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const k8s::Dynamic after = get("a");
  EXPECT_EQ(after.items("spec.ephemeralContainers").size(), 1U);
  EXPECT_FALSE(after.has("metadata.labels.x"));
  EXPECT_FALSE(after.has("metadata.annotations.x"));
  EXPECT_FALSE(after.has("spec.activeDeadlineSeconds"));
  EXPECT_EQ(after.text("status.phase"), "Pending");
}

TEST_F(PodParts, ADebuggerStaysAsItIs) {
  make_pod("a");
  ASSERT_EQ(patch("a", "ephemeralcontainers", debugger("one")), "200 ");
  EXPECT_EQ(
      patch("a", "ephemeralcontainers", debugger("one", "c:1")),
      "422 Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"one\" "
      "may not be changed\n");
  EXPECT_EQ(
      patch("a", "ephemeralcontainers", R"({"spec":{"ephemeralContainers":null}})"),
      "422 Pod \"a\" is invalid: spec.ephemeralContainers: Forbidden: existing ephemeral containers \"one\" "
      "may not be removed\n");
  EXPECT_EQ(patch("a", "ephemeralcontainers", debugger("main")).substr(0, 30),
            "422 Pod \"a\" is invalid: spec.e");
  make_pod("static", R"("kubernetes.io/config.mirror":"x")", R"("nodeName":"n",)");
  EXPECT_EQ(patch("static", "ephemeralcontainers", debugger("one")).substr(0, 3), "422");
  EXPECT_EQ(patch("a", "", debugger("three")).substr(0, 3), "422") << "the Pod itself takes none";
  EXPECT_EQ(patch("missing", "ephemeralcontainers", debugger("one")), "404 pods \"missing\" not found");
}

TEST_F(PodParts, ResourcesAreResized) {
  make_pod("a");
  EXPECT_EQ(
      patch("a", "resize", resources(R"({"requests":{"cpu":"500m","memory":"2Gi"},"limits":{"cpu":"3"}})")),
      "200 ");
  const k8s::Dynamic pod = get("a");
  EXPECT_EQ(pod.items("spec.containers")[0].text("resources.requests.cpu"), "500m");
  EXPECT_EQ(pod.items("spec.containers")[0].text("resources.limits.cpu"), "3");
  EXPECT_EQ(pod.items("spec.containers")[1].text("name"), "side");
  EXPECT_EQ(pod.generation(), 2);
  EXPECT_EQ(patch("a", "resize", R"({"metadata":{"labels":{"x":"1"}},"spec":{"activeDeadlineSeconds":5}})"),
            "200 ");
  EXPECT_FALSE(get("a").has("metadata.labels.x"));
  EXPECT_FALSE(get("a").has("spec.activeDeadlineSeconds"));
}

TEST_F(PodParts, AResizeChangesProcessorAndMemoryAlone) {
  make_pod("a");
  const std::string invalid = "422 Pod \"a\" is invalid: ";
  EXPECT_EQ(patch("a", "resize", resources(R"({"limits":{"cpu":null}})")),
            invalid + "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed");
  EXPECT_EQ(patch("a", "resize", resources(R"({"requests":{"ephemeral-storage":"1Gi"}})")),
            invalid + "spec: Forbidden: only cpu and memory resources are mutable");
  EXPECT_EQ(patch("a", "resize", R"({"spec":{"containers":[{"name":"more","image":"a:1"}]}})"),
            invalid + "spec.containers: Forbidden: containers may not be added or removed on resize");
  EXPECT_EQ(
      patch("a", "resize", R"([{"op":"replace","path":"/spec/containers/0/name","value":"b"}])",
            "application/json-patch+json"),
      invalid + "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize");
  EXPECT_EQ(
      patch("a", "resize", R"({"spec":{"containers":[
      {"name":"main","resources":{"requests":{"cpu":"2","memory":"1Gi"},"limits":{"cpu":"2","memory":"1Gi"}}},
      {"name":"side","resources":{"limits":{"cpu":"2","memory":"1Gi"}}}],"initContainers":[
      {"name":"first","resources":{"limits":{"cpu":"2","memory":"1Gi"}}}]}})"),
      invalid + "spec: Invalid value: \"Burstable\": Pod QOS Class may not change as a result of resizing");
}

TEST_F(PodParts, OwnersOfAPartOwnNothingElse) {
  make_pod("a");
  ASSERT_EQ(patch("a", "ephemeralcontainers", debugger("one")), "200 ");
  bool seen = false;
  const k8s::Dynamic pod = get("a");
  for (const k8s::View& one : pod.items("metadata.managedFields")) {
    if (one.text("subresource") != "ephemeralcontainers") continue;
    seen = true;
    EXPECT_TRUE(one.has("fieldsV1.f:spec"));
    EXPECT_FALSE(one.has("fieldsV1.f:metadata"));
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace fairway::apiserver::testing
