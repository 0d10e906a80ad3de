// SPDX-License-Identifier: Apache-2.0

// The story that `./dev up` tells: all programs together, on one machine.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {

/// The program that the story needs and that is not installed; empty if there is none.
inline std::string missing_for_story() {
  for (const char* program : {"docker-registry", "prometheus", "python3", "curl", "gpg"}) {
    const std::string look =
        "PATH=$PATH:/usr/sbin:/sbin command -v " + std::string(program) + " >/dev/null 2>&1";
    if (std::system(look.c_str()) != 0) return program;
  }
  return "";
}

/// Runs the story with these flags, and checks the lines of its output and their order.
inline void expect_story(const std::vector<std::string>& flags) {
  const TempDirectory folder;
  const std::string output = (folder / "output").string();
  std::vector<std::string> command{FAIRWAY_SOURCE_DIR "/examples/cluster/up.sh", "--once", "--keep",
                                   (folder / "data").string()};
  command.insert(command.end(), flags.begin(), flags.end());
  // Its Gateway needs the right to add an address to lo, too.
  const char* envoy = std::getenv("FAIRWAY_ENVOY");
  const bool has_gateway = envoy != nullptr && ::geteuid() == 0;
  if (has_gateway) command.insert(command.end(), {"--envoy", envoy});
  setenv("FAIRWAY_BINARY", FAIRWAY_BINARY, 1);
  Process story(command, output);
  const int status = story.wait();
  unsetenv("FAIRWAY_BINARY");
  const std::string told = read_file(output).value_or("");
  ASSERT_EQ(status, 0) << told;
  std::size_t at = 0;
  for (const char* part :
       {"Supported but not recommended updates:",
        "Reason: MultipleReasons",
        "VSphereNodeNameChanges",
        "4.7.4 becomes recommended",
        "Recommended updates:",
        "error: the update 4.7.4 is not one of the recommended",
        "warning: with --allow-not-recommended you have accepted the risks with 4.7.4",
        "Requested update to 4.7.4",
        "Gears were stored as: v1alpha1; now as: v1\n",
        "4.7.9 is recommended.",
        "Requested update to 4.7.9",
        "The cluster is not updating.",
        "  4.7.9  Completed, verified",
        "  4.7.4  Completed, verified",
        "Updating from 4.6.23 to 4.7.4 is supported, but not recommended for this cluster.",
        "  4.6.23  Completed, installed",
        "cluster_version{",
        has_gateway ? "  Gateway           Accepted=True" : "There is no Gateway here",
        has_gateway ? "  HTTPRoute         Accepted=True" : "",
        has_gateway ? " releases, " : ""}) {
    const std::size_t next = told.find(part, at);
    ASSERT_NE(next, std::string::npos) << part << " does not come in time in:\n" << told;
    at = next;
  }
}

}  // namespace fairway::testing
