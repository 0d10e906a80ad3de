// SPDX-License-Identifier: Apache-2.0

// A program that is run to its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace fairway::kube {

struct ProgramCall {
  /// Path, or a name that is looked up in $PATH.
  std::string command = {};
  std::vector<std::string> args = {};
  /// Environment variables to add to this process's; these take precedence.
  std::vector<std::pair<std::string, std::string>> env = {};
  /// Maximum size of the output; more is an error.
  std::size_t max_output = 1 << 20;
  Limits limits = {};
  const Clock* clock = &Clock::system();  ///< the clock of the deadline
};

struct ProgramResult {
  int exit_code = 0;
  std::string output = {};
  /// The end of the program's standard error.
  std::string errors = {};
};

/// Runs a program with empty input, and waits for its end. It and the processes that it started are killed at
/// the deadline, on a stop request, and when it writes too much. Errors: `not_found` (no such program),
/// `deadline_exceeded`, `cancelled`, `too_large`, `unavailable` (it cannot be run, or was killed).
Result<ProgramResult> run_program(const ProgramCall& call);

}  // namespace fairway::kube
