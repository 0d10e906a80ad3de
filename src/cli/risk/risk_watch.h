// `fairway risk check --every`: periodic rounds, under the polling rules.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "cli/risk/risk_report.h"
#include "risk/rounds.h"

namespace fairway::cli {

/// Evaluates the report's updates every `interval`, and prints the report (as `output` says, "table" or
/// "json") first and whenever a verdict or its reason has changed, until `stop` is requested. Returns the
/// exit code.
int watch_risks(RiskReport report, risk::Rounds& rounds, std::chrono::nanoseconds interval,
                const std::string& output, const std::stop_token& stop);

}  // namespace fairway::cli
