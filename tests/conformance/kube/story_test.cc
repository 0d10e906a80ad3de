// The story of `./dev up` on this API server: update service, registry, Prometheus and operator.
#include "support/story.h"

#include "base/base64.h"
#include "conformance/kube/on_cluster.h"
#include "support/eventually.h"

namespace fairway::conformance {
namespace {

class OperatorStory : public OnCluster {
 protected:
  /// Others find none of it.
  void TearDown() override {
    const k8s::GroupVersionResource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
    for (const char* name :
         {"clusterversions.config.openshift.io", "channels.config.openshift.io",
          "clusteroperators.config.openshift.io", "conversions.pkg.knative.dev", "gears.example.com"}) {
      [[maybe_unused]] const auto removed = client->remove(definitions, {"", name});
      EXPECT_TRUE(testing::eventually([&] { return !client->get(definitions, {"", name}).has_value(); }))
          << name;
    }
  }
};

TEST_F(OperatorStory, IsToldToItsEnd) {
  if (const std::string program = testing::missing_for_story(); !program.empty())
    GTEST_SKIP() << program << " is not installed";
  const testing::TempDirectory folder;
  const std::string kubeconfig =
      folder
          .write("kubeconfig",
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: c\n  cluster:\n"
                 "    server: " +
                     cluster.server() +
                     "\n    certificate-authority-data: " + base64_encode(cluster.authority()) +
                     "\nusers:\n- name: u\n  user:\n    token: " + cluster.token() +
                     "\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n")
          .string();
  testing::expect_story({"--kubeconfig", kubeconfig});
}

}  // namespace
}  // namespace fairway::conformance
