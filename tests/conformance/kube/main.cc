// Starts the cluster before all tests, so that one that does not start fails them all at once and says why.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <exception>

#include "conformance/kube/cluster.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  try {
    const auto begun = std::chrono::steady_clock::now();
    fairway::conformance::Cluster::shared();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("a real API server is ready after %.1f s\n", took.count());
    return RUN_ALL_TESTS();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
    return 1;
  }
}
