// SPDX-License-Identifier: Apache-2.0

// Versions of different age on the embedded API server; `./dev conformance kube` has them on a real one, too.
#include "e2e/version_skew.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {
namespace {

class VersionSkew : public ::testing::TestWithParam<SkewCase> {};

TEST_P(VersionSkew, IsHarmless) {
  const TempDirectory folder;
  const std::string kubeconfig = (folder / "kubeconfig").string();
  const Process server(
      {FAIRWAY_BINARY, "apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig},
      (folder / "log").string());
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(kubeconfig); }))
      << read_file(folder / "log").value_or("");
  SkewCluster cluster(kubeconfig);
  GetParam().judge(cluster);
}

INSTANTIATE_TEST_SUITE_P(All, VersionSkew, ::testing::ValuesIn(skew_cases()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace fairway::testing
