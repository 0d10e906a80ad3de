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

/// Says which updates there are now.
using AskAgain = std::function<Result<risk::AvailableUpdates>()>;

/// Evaluates the report's updates every `interval`, and prints the report (as `output` says, "table" or
/// "json") first and whenever the updates, a verdict or its reason have changed, until `stop` is requested.
/// The updates are asked for before each round but the first; where that fails, the last ones stay, with a
/// warning. Returns the exit code.
int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const AskAgain& ask_again, const std::stop_token& stop);

}  // namespace fairway::cli
