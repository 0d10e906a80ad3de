// SPDX-License-Identifier: Apache-2.0

// Requests and limits that LimitRanges give to containers, and what comes of them.
#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

class LimitDefaults : public OnServer {
 protected:
  void SetUp() override {
    ASSERT_OK(client->create(
        {"", "v1", "limitranges"},
        object_of(
            R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"r","namespace":"default"},"spec":)"
            R"({"limits":[{"type":"Container","default":{"cpu":"500m","memory":"128Mi"},)"
            R"("defaultRequest":{"cpu":"100m"}},{"type":"Pod","max":{"cpu":"2"}}]}})")));
  }
  k8s::Dynamic made(const std::string& containers) {
    const auto pod = client->create(
        {"", "v1", "pods"},
        object_of(
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":"p"},"spec":{)" +
            containers + "}}"));
    if (!pod) ADD_FAILURE() << pod.error().message;
    return pod ? *pod : k8s::Dynamic();
  }
};

TEST_F(LimitDefaults, AreForContainersThatNameNone) {
  const k8s::Dynamic pod =
      made(R"("initContainers":[{"name":"i","image":"i"}],"containers":[{"name":"c","image":"i","resources":)"
           R"({"limits":{"cpu":"300m"}}}])");
  // Limits stand for the requests that a container does not name, before LimitRanges do.
  EXPECT_EQ(
      *pod.items("spec.containers")[0].find("resources"),
      parsed(R"({"limits":{"cpu":"300m","memory":"128Mi"},"requests":{"cpu":"300m","memory":"128Mi"}})"));
  EXPECT_EQ(
      *pod.items("spec.initContainers")[0].find("resources"),
      parsed(R"({"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"128Mi"}})"));
  EXPECT_EQ(
      pod.annotation("kubernetes.io/limit-ranger"),
      "LimitRanger plugin set: memory request for container c; memory limit for container c; cpu, memory "
      "request for init container i; cpu, memory limit for init container i");
  EXPECT_EQ(pod.text("status.qosClass"), "Burstable");
}

TEST_F(LimitDefaults, LeaveWhatIsNamed) {
  const std::string named = R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}})";
  const k8s::Dynamic pod = made(R"("containers":[{"name":"c","image":"i","resources":)" + named + "}]");
  EXPECT_EQ(*pod.items("spec.containers")[0].find("resources"), parsed(named));
  EXPECT_FALSE(pod.has("metadata.annotations"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
