// A program that is run to its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace fairway::kube {

struct ProgramCall {
  /// A path, or a name that is looked up in $PATH.
  std::string command;
  std::vector<std::string> args;
  /// What its environment has beside ours; these win.
  std::vector<std::pair<std::string, std::string>> env;
  /// More output than this is an error.
  std::size_t max_output = 1 << 20;
  Limits limits;
  const Clock* clock = &Clock::system();  ///< of the deadline
};

struct ProgramResult {
  int exit_code = 0;
  std::string output;
  /// The end of what it wrote on standard error.
  std::string errors;
};

/// Runs a program with nothing to read, and waits for its end. It and what it has started are killed at the
/// deadline, when it is asked to stop, and when it writes too much. Errors: `not_found` (no such program),
/// `deadline_exceeded`, `cancelled`, `too_large`, `unavailable` (it cannot be run, or was killed).
Result<ProgramResult> run_program(const ProgramCall& call);

}  // namespace fairway::kube
