// SPDX-License-Identifier: Apache-2.0

// Schedules of CronJobs: "*/5 0 * * mon", "@hourly".
#pragma once

#include <string_view>

#include "base/result.h"

namespace fairway::apiserver::validation {

/// Checks a schedule of five fields, or a description of one. Errors have the words of Kubernetes, which are
/// those of github.com/robfig/cron.
Result<void> check_cron_schedule(std::string_view text);

}  // namespace fairway::apiserver::validation
