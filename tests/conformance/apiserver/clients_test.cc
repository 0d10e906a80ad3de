// SPDX-License-Identifier: Apache-2.0

// Programs with the clients of others, each with a server of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "conformance/apiserver/programs.h"

namespace fairway::conformance {
namespace {

constexpr const char* folder = FAIRWAY_SOURCE_DIR "/tests/conformance/apiserver/";

/// Runs a command of the shell; returns its exit code.
int run(const std::string& command) {
  return std::system(command.c_str());
}
/// Runs a command with a server, in memory, while it runs; returns its exit code.
int run_with_server(const std::string& command) {
  return run("'" FAIRWAY_BINARY "' apiserver --memory --listen 127.0.0.1:0 --log-level error -- " + command);
}
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

TEST(Clients, OfGoFindWhatTheyExpect) {
  const std::string judges = environment("FAIRWAY_JUDGES");
  ASSERT_NE(judges, "") << "start this by ./dev conformance apiserver";
  EXPECT_EQ(run_with_server("'" + judges + "/clients-go'"), 0) << "what failed is above";
}

TEST(Clients, OfPythonFindWhatTheyExpect) {
  const std::string python = environment("FAIRWAY_PYTHON");
  if (python.empty()) GTEST_SKIP() << "Python's package kubernetes cannot be had from PyPI";
  EXPECT_EQ(run_with_server("'" + python + "' '" + folder + "clients-python/check.py'"), 0)
      << "what failed is above";
}

TEST(Clients, OfRustFindWhatTheyExpect) {
  const std::string program = environment("FAIRWAY_CLIENTS_RUST");
  if (program.empty()) GTEST_SKIP() << "the program with the kube crate is not built: see ./dev conformance";
  EXPECT_EQ(run_with_server("'" + program + "'"), 0) << "what failed is above";
}

TEST(UpstreamIntegration, PassesButForWhatIsListed) {
  const std::string go = environment("FAIRWAY_GO"), judges = environment("FAIRWAY_JUDGES");
  ASSERT_NE(judges, "") << "start this by ./dev conformance apiserver";
  // The others need longer than is to be had where everything is checked.
  const std::string names =
      everything() ? "" : " $(cat '" + std::string(folder) + "upstream-integration/quick.txt')";
  EXPECT_EQ(run("'" + std::string(folder) + "upstream-integration/run.sh' '" + go +
                "' '" FAIRWAY_BINARY "' '" + judges + "'" + names),
            0)
      << "what failed is above";
}

}  // namespace
}  // namespace fairway::conformance
