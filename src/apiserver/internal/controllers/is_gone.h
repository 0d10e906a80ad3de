// SPDX-License-Identifier: Apache-2.0

// The refusal that ends a controller's write of an object without a fault.
#pragma once

#include "k8s/status.h"

namespace fairway::apiserver::controllers {

/// Returns whether a write was refused because the object is gone, or another one by now: its change is seen
/// later, and decides anew.
bool is_gone(const k8s::Status& status);

}  // namespace fairway::apiserver::controllers
