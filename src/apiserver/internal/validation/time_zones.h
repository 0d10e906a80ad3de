// SPDX-License-Identifier: Apache-2.0

// Names of time zones.
#pragma once

#include <string_view>

#include "base/result.h"
#include "k8s/names.h"

namespace fairway::apiserver::validation {

/// Finds a time zone in the list of validation/data. Errors have the words of Go's time.LoadLocation.
Result<void> find_time_zone(std::string_view name);
/// Checks the time zone of a CronJob.
k8s::Faults check_time_zone(std::string_view name);

}  // namespace fairway::apiserver::validation
