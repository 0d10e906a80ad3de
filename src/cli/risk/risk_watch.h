// SPDX-License-Identifier: Apache-2.0

// `fairway risk check --every`: periodic rounds, under the polling rules.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "cli/risk/risk_report.h"
#include "risk/available_updates.h"
#include "risk/rounds.h"

namespace fairway::cli {

/// The updates of a release in a graph.
struct UpdatesNow {
  risk::AvailableUpdates available;
  /// Reason why there are no updates, if the graph lacks the release (or the channel is gone); empty
  /// otherwise.
  std::string gone;
};

/// Returns the present updates. An Error: there is no graph.
using RefreshUpdates = std::function<Result<UpdatesNow>()>;

/// Evaluates the report's updates every `interval` until `stop` is requested. Prints the report (as `output`
/// says, "table" or "json") first, and whenever the updates, a verdict or its reason have changed. Refreshes
/// the updates before each round but the first; if that fails, the last ones stay, with a warning. If the
/// release is no longer in the graph, the report says so, and has no updates. Returns the exit code.
int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const RefreshUpdates& refresh, const std::stop_token& stop);

}  // namespace fairway::cli
