// SPDX-License-Identifier: Apache-2.0

// Writes statuses: only what is this controller's, and nothing where nothing has changed.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "gateway/internal/status/report.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// Returns the object with the status of the report. Unchanged are entries of other controllers, conditions
/// that the table does not name, conditions of a newer generation, and `lastTransitionTime` if the status of
/// a condition is the same. Entries of this controller that are not in the report are removed.
k8s::Dynamic with_status(const Report& report, const Clock& clock);
/// Returns whether two references of an object in the namespace `local` are the same.
bool same_ref(const k8s::View& a, const k8s::View& b, std::string_view local);
/// Returns whether the object's status already has the contents of the report.
bool is_written(const Report& report, const Clock& clock);

}  // namespace fairway::gateway
