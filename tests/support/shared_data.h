// SPDX-License-Identifier: Apache-2.0

// Data that is not part of this repository, where it is at hand.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace fairway::testing {

/// The folder of shared data: $FAIRWAY_SHARED, by default ../shared beside the project.
inline std::filesystem::path shared_root() {
  const char* root = std::getenv("FAIRWAY_SHARED");
  return root != nullptr ? root : FAIRWAY_SOURCE_DIR "/../shared";
}

/// Returns whether it is the default one, whose number of cases is known.
inline bool is_default_shared() {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(shared_root(), ignored) ==
         std::filesystem::weakly_canonical(FAIRWAY_SOURCE_DIR "/../shared", ignored);
}

/// A path below the folder of shared data.
inline std::filesystem::path shared_path(const std::string& name) {
  return shared_root() / name;
}

/// A kind of data: its place below the folder of shared data, and its origin.
struct SharedData {
  std::string_view place, origin;
};

/// The kinds of data. A path is of the first kind whose place it begins with: longer places stand first.
inline constexpr std::array shared_data{
    SharedData{
        "data/graph-data/2026-02",
        "real graph data: fetch the public repository github.com/openshift/cincinnati-graph-data, as it "
        "was on 2026-02-19"},
    SharedData{
        "data/graph-data/history.tsv",
        "the history of real graph data: fetch the public repository "
        "github.com/openshift/cincinnati-graph-data, and write a line for each first-parent commit that "
        "changed blocked-edges/: commit, date, files added, modified, removed, and how many there were "
        "afterwards, with tabs between, below a line of names"},
    SharedData{
        "data/graph-data/quirks",
        "odd graph data, and what cincinnati makes of it: run github.com/openshift/cincinnati on it, and "
        "record its answers"},
    SharedData{
        "data/graph-data",
        "real graph data and the right answers for it: fetch the public repository "
        "github.com/openshift/cincinnati-graph-data, as it was on 2026-02-19, into 2026-02, and record the "
        "releases in 2026-02-releases.json and what github.com/openshift/cincinnati makes of both in "
        "2026-02-expected"},
    SharedData{
        "data/promqltest",
        "Prometheus's own test scripts: fetch promql/promqltest/testdata of "
        "github.com/prometheus/prometheus into head, and promql/testdata of its release 2.42 into v2.42"},
    SharedData{
        "data/prometheus",
        "replies of a Prometheus 2.42: install it, and record what its HTTP API answers to the queries "
        "that the test names"},
    SharedData{"data/operator/crd",
               "the definition of ClusterVersion and its tests: fetch config/v1 of github.com/openshift/api"},
    SharedData{"data/operator",
               "what the cluster-version operator does: run the functions of "
               "github.com/openshift/cluster-version-operator, commit 6e719331, on the cases that the test "
               "reads, and record what they return"},
    SharedData{
        "data/client",
        "what `oc adm upgrade` prints: run github.com/openshift/oc, commit 6b8e30c5, on its own examples "
        "(pkg/cli/admin/upgrade), and record arguments, object, output, exit code and requests"},
    SharedData{"facts/kubectl-requests.txt",
               "the requests of kubectl: run its commands with -v=8, and write each request with its Accept "
               "header below a line `### kubectl ...`"},
    SharedData{"facts/version-sort.tsv",
               "the order of API versions: write pairs of versions, with the sign that "
               "CompareKubeAwareVersionStrings of k8s.io/apimachinery returns, with tabs between"}};

/// Returns the reason why a test that reads below `path` is skipped: the data to fetch, where to put it, and
/// the variable to set. The text is the same for all tests that lack the same kind of data.
inline std::string absent_data(const std::filesystem::path& path) {
  const std::string name =
      std::filesystem::absolute(path)
          .lexically_normal()
          .lexically_relative(std::filesystem::absolute(shared_root()).lexically_normal())
          .generic_string();
  for (const SharedData& data : shared_data) {
    if (!name.starts_with(data.place)) continue;
    return "there is no " + std::string(data.place) + ", which is " + std::string(data.origin) +
           ". Put it into " + std::string(data.place) +
           " of a folder of your own, and set FAIRWAY_SHARED to that folder";
  }
  return "there is no " + name + ", and tests/support/shared_data.h does not say where it comes from";
}

}  // namespace fairway::testing

/// Skips the test where `path`, which is below the folder of shared data, does not exist.
#define FAIRWAY_NEEDS_SHARED(path)                                                           \
  do {                                                                                       \
    if (!std::filesystem::exists(path)) GTEST_SKIP() << fairway::testing::absent_data(path); \
  } while (false)
