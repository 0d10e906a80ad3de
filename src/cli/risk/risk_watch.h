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

/// What a graph says of a release.
struct UpdatesNow {
  risk::AvailableUpdates available;
  /// Why the release has none, where the graph lacks it (or the channel is gone); empty otherwise.
  std::string gone;
};

/// Says which updates there are now. An Error: there is no graph.
using RefreshUpdates = std::function<Result<UpdatesNow>()>;

/// Evaluates the report's updates every `interval`, and prints the report (as `output` says, "table" or
/// "json") first and whenever the updates, a verdict or its reason have changed, until `stop` is requested.
/// The updates are asked for before each round but the first; where that fails, the last ones stay, with a
/// warning. Where the release is no longer in the graph the report says so, and has no updates. Returns the
/// exit code.
int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const RefreshUpdates& refresh, const std::stop_token& stop);

}  // namespace fairway::cli
