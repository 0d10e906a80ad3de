// SPDX-License-Identifier: Apache-2.0

// The report of `fairway risk check`, as text and JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "risk/available_updates.h"

namespace fairway::cli {

struct RiskReport {
  std::string from, channel, arch;
  std::string_view evaluator;
  risk::AvailableUpdates available;
  /// Reason why there are no updates, if the release is no longer in the graph; empty otherwise.
  std::string gone;
  /// Verdicts, one for each of `available.updates`.
  std::vector<risk::UpdateVerdict> verdicts;
};

/// Returns the updates with their recommendations, then each conditional one with the verdicts on its risks.
std::string as_table(const RiskReport& report);

/// Returns {"from","channel"?,"arch"?,"evaluator","updates":[{"version","image","conditional",
/// "recommended":{"status","reason","message"},"evaluating"?,"risks":[{"name","url","message","verdict",
/// "value"?,"error"?,"evaluator"?,"last"?,"next"?}]}],"gone"?}, the highest version first. `last` is the time
/// at which a risk was evaluated, `next` the time at which the polling rules would let a cluster evaluate it
/// again.
std::string as_json(const RiskReport& report);

}  // namespace fairway::cli
