// SPDX-License-Identifier: Apache-2.0

// Alerts of Prometheus, as its API lists them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::adm {

struct Alert {
  std::string name, severity, state, namespace_name, pod_disruption_budget;
  /// True if the label openShiftUpdatePrecheck is "true".
  bool update_precheck = false;
  std::string summary, description, message, runbook;
  std::optional<WallTime> active_at;

  /// Returns " The alert description is: D | M", or that there is none.
  std::string description_text() const;
  /// Returns the runbook, or a text that there is none.
  std::string runbook_text() const;
};

/// Reads the answer of GET /api/v1/alerts. Alerts without a name are left out. An Error (`invalid`): it is
/// not a JSON object.
Result<std::vector<Alert>> read_alerts(std::string_view text);

}  // namespace fairway::adm
