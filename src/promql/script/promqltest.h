// SPDX-License-Identifier: Apache-2.0

// Prometheus's test language: scripts that load series and state the expected results of queries.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "promql/engine/series.h"
#include "promql/parser/dialect.h"

namespace fairway::promql {

struct ScriptOptions {
  Dialect dialect = Dialect::prometheus3;
  /// True to delay name removal, as Prometheus's own tests of 3.x do.
  bool delayed_name_removal = true;
  /// Maximum number of samples that may be loaded at once; more is an error.
  std::size_t max_samples = 20'000'000;
  /// Time limit of one eval command, on `clock`; no limit without a clock.
  std::chrono::milliseconds timeout = std::chrono::minutes(1);
  Clock* clock = nullptr;
};

/// One eval command.
struct ScriptCase {
  enum class Outcome { passed, failed, skipped };
  int line = 0;
  std::string query = {};
  Outcome outcome = Outcome::passed;
  /// Reason why it failed, or the feature for which it was skipped.
  std::string detail = {};
};

/// Runs a whole script. A command that cannot be parsed is a failed case, and so is an eval whose result is
/// not the expected one. A case is skipped only if it needs an unsupported feature: one that is experimental
/// in Prometheus, or native histograms.
std::vector<ScriptCase> run_script(std::string_view script, const ScriptOptions& options = {});

/// Reads the `load` commands of a script into a store, and no other command; the error names the line.
Result<void> load_script(std::string_view script, SeriesStore& store);

}  // namespace fairway::promql
