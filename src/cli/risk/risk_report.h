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
  /// Why there are no updates, where the release is no longer in the graph; empty otherwise.
  std::string gone;
  /// One for each of `available.updates`.
  std::vector<risk::UpdateVerdict> verdicts;
};

/// The updates with their recommendations, then each conditional one with the verdicts on its risks.
std::string as_table(const RiskReport& report);

/// {"from","channel"?,"arch"?,"evaluator","updates":[{"version","image","conditional",
/// "recommended":{"status","reason","message"},"evaluating"?,"risks":[{"name","url","message","verdict",
/// "value"?,"error"?,"evaluator"?,"last"?,"next"?}]}],"gone"?}, the highest version first. `last` is when a
/// risk was evaluated, `next` when the polling rules would let a cluster evaluate it again.
std::string as_json(const RiskReport& report);

}  // namespace fairway::cli
