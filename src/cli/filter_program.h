// SPDX-License-Identifier: Apache-2.0

// A program that is given a text and answers with another one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace fairway::cli {

struct FilterResult {
  /// The exit code; 128 and the number of the signal that ended it.
  int exit_code = 0;
  /// Its standard output and standard error.
  std::string output = {}, errors = {};
};

/// Runs a program, found in $PATH by the first of `words`, with `input` as its standard input, and waits for
/// its end. It is killed at the deadline, by the system's clock, on a stop request, and when it writes more
/// than `most_bytes`. It has a process group of its own, of which nothing is left running in any case.
/// Errors: `not_found` (no such program), `deadline_exceeded`, `cancelled`, `too_large`, `unavailable` (it
/// cannot be started).
Result<FilterResult> run_filter(const std::vector<std::string>& words, std::string_view input,
                                const Limits& limits, std::size_t most_bytes = std::size_t{256} << 20);

}  // namespace fairway::cli
