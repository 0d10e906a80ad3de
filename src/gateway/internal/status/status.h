// Writes statuses: only what is this controller's, and nothing where nothing has changed.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "gateway/internal/status/report.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The object with the status that the report asks for. Kept as they are: entries of other controllers,
/// conditions that the table does not name, conditions of a newer generation, and `lastTransitionTime` where
/// the status of a condition stays. Entries of this controller that the report does not have are removed.
k8s::Dynamic with_status(const Report& report, const Clock& clock);
/// Returns whether two references of an object in the namespace `local` are the same.
bool same_ref(const k8s::View& a, const k8s::View& b, std::string_view local);
/// Returns whether the object's status says already what the report asks for.
bool is_written(const Report& report, const Clock& clock);

}  // namespace fairway::gateway
