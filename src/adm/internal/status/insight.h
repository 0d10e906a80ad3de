// SPDX-License-Identifier: Apache-2.0

// Insights: observations about an update that is under way.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::adm {

enum class Level { info, warning, error, critical };

/// An observation. Without summary, description or reference it is not shown.
struct Insight {
  /// Time since which it has been so; absent: unknown.
  std::optional<WallTime> since;
  Level level = Level::warning;
  /// "API Availability", "Update Stalled", ...
  std::string impact;
  std::string summary, description;
  /// URL with further information.
  std::string reference;
  /// The objects that it is about: kind ("nodes", "clusteroperators.config.openshift.io") and name.
  std::vector<std::pair<std::string, std::string>> resources;
};

/// Returns the section "= Update Health =": the gravest insights first, then the latest. Without insights it
/// says that all is well since the update began, `updating_for` ago. `detailed` shows whole paragraphs
/// instead of a table.
std::string show_health(std::vector<Insight> insights, std::chrono::nanoseconds updating_for, WallTime now,
                        bool detailed);

/// Returns the insights for -o json and yaml.
json::Array health_data(const std::vector<Insight>& insights);

}  // namespace fairway::adm
