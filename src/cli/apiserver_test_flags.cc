// SPDX-License-Identifier: Apache-2.0

#include "cli/apiserver_test_flags.h"

namespace fairway::cli {

void add_test_flags(CLI::App& command, std::string& clock, apiserver::ServerOptions& options) {
  constexpr const char* tests = "Tests";
  // Of the command line alone: what a test sets in the environment of its programs, as FAIRWAY_TEST_CLOCK is
  // for an operator, must not make a server another one.
  command
      .add_flag("--test-faults", options.test_faults,
                "Serve /fairway/faults, by which a test cuts watches, makes versions too old, and has writes "
                "refused or delayed; with --memory, on loopback")
      ->configurable(false)
      ->group(tests);
  command
      .add_option("--test-clock", clock,
                  "Time at which the server's clock stands still, such as 2026-01-01T00:00:00Z, until a test "
                  "advances it by /fairway/clock; with --memory, on loopback")
      ->type_name("TIME")
      ->configurable(false)
      ->group(tests);
}

}  // namespace fairway::cli
