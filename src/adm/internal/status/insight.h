// What is worth knowing about an update that is under way.
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

/// One observation. Those without summary, description or reference are not shown.
struct Insight {
  /// Absent: not known.
  std::optional<WallTime> since;
  Level level = Level::warning;
  /// "API Availability", "Update Stalled", ...
  std::string impact;
  std::string summary, description;
  /// Where to read on: a URL.
  std::string reference;
  /// The kind ("nodes", "clusteroperators.config.openshift.io") and the name of what it is about.
  std::vector<std::pair<std::string, std::string>> resources;
};

/// The section "= Update Health =": the gravest first, then the latest. Without insights it says that all is
/// well since the update began, `updating_for` ago. `detailed` shows whole paragraphs instead of a table.
std::string show_health(std::vector<Insight> insights, std::chrono::nanoseconds updating_for, WallTime now,
                        bool detailed);

/// The same insights for -o json and yaml.
json::Array health_data(const std::vector<Insight>& insights);

}  // namespace fairway::adm
