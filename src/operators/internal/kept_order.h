// SPDX-License-Identifier: Apache-2.0

// The order of an answer's parts that have none: a service may list them differently each time.
#pragma once

#include "operators/retrieval.h"

namespace fairway::operators {

/// Puts risks of the same update, and what is said of the answer, into the order that they had in the answer
/// `before`, where both have the same: another order is no change, and writes no status.
void keep_order(AvailableUpdates& now, const AvailableUpdates& before);

}  // namespace fairway::operators
