// SPDX-License-Identifier: Apache-2.0

// The story of `./dev up` on this API server: update service, registry, Prometheus and operator.
#include "support/story.h"

#include "base/base64.h"
#include "conformance/kube/on_operators_cluster.h"

namespace fairway::conformance {
namespace {

using OperatorStory = OnOperatorsCluster;

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
