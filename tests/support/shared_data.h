// Data that is not part of this repository, where it is at hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fairway::testing {

/// The folder of shared data: $FAIRWAY_SHARED, by default ../shared beside the project.
inline std::filesystem::path shared_root() {
  const char* root = std::getenv("FAIRWAY_SHARED");
  return root != nullptr ? root : FAIRWAY_SOURCE_DIR "/../shared";
}

/// A path below the folder of shared data.
inline std::filesystem::path shared_path(const std::string& name) {
  return shared_root() / name;
}

/// Why a test that reads below `path` is skipped: what to fetch, where to put it, which variable to set. The
/// same text for all tests that lack the same data.
inline std::string absent_data(const std::filesystem::path& path) {
  const std::string name =
      std::filesystem::absolute(path)
          .lexically_normal()
          .lexically_relative(std::filesystem::absolute(shared_root()).lexically_normal())
          .generic_string();
  const auto put_into = [](const std::string& folder) {
    return "put it into " + folder + " of a folder of your own and set FAIRWAY_SHARED to that folder";
  };
  if (name.starts_with("data/graph-data/2026-02"))
    return "real graph data is absent: fetch OpenShift's public graph-data repository "
           "(cincinnati-graph-data), "
           "as it was in February 2026; " +
           put_into("data/graph-data/2026-02");
  if (name.starts_with("data/promqltest"))
    return "Prometheus's own test scripts are absent: fetch its public source repository (the scripts are in "
           "promql/promqltest/testdata); " +
           put_into(name);
  return name +
         " is absent: these recorded cases are not published; where you have them, set FAIRWAY_SHARED " +
         "to the folder that they are below";
}

}  // namespace fairway::testing

/// Skips the test where `path`, which is below the folder of shared data, does not exist.
#define FAIRWAY_NEEDS_SHARED(path)                                                           \
  do {                                                                                       \
    if (!std::filesystem::exists(path)) GTEST_SKIP() << fairway::testing::absent_data(path); \
  } while (false)
