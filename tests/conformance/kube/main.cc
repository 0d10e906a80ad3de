// SPDX-License-Identifier: Apache-2.0

// Starts the cluster before all tests, so that one that does not start fails them all at once and says why.
// The processes of ours that tests kill are this program too.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "conformance/kube/candidate.h"
#include "conformance/kube/cluster.h"
#include "conformance/kube/embedded_server.h"
#include "conformance/kube/webhook_replica.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "candidate") return fairway::conformance::run_candidate(arguments);
  if (role == "webhook-replica") return fairway::conformance::run_webhook_replica(arguments);
  if (role == fairway::conformance::api_server_role) return fairway::conformance::run_api_server(arguments);
  ::testing::InitGoogleTest(&argc, argv);
  if (::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  try {
    const auto begun = std::chrono::steady_clock::now();
    const auto& cluster = fairway::conformance::Cluster::shared();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    std::printf("the %s API server is ready after %.1f s\n", cluster.name().c_str(), took.count());
    return RUN_ALL_TESTS();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "error: %s\n", problem.what());
    return 1;
  }
}
