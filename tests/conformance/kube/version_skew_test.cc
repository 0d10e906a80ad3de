// SPDX-License-Identifier: Apache-2.0

// Versions of different age on this API server.
#include "e2e/version_skew.h"

#include "conformance/kube/on_operators_cluster.h"

namespace fairway::conformance {
namespace {

class VersionSkew : public OnOperatorsCluster, public ::testing::WithParamInterface<testing::SkewCase> {};

TEST_P(VersionSkew, IsHarmless) {
  testing::SkewCluster skew(cluster.kubeconfig().string());
  GetParam().judge(skew);
}

INSTANTIATE_TEST_SUITE_P(All, VersionSkew, ::testing::ValuesIn(testing::skew_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace fairway::conformance
