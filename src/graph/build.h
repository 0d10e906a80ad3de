// SPDX-License-Identifier: Apache-2.0

// Making a snapshot within limits.
#pragma once

#include <memory>

#include "base/limits.h"
#include "base/result.h"
#include "graph/snapshot.h"

namespace fairway::graph {

/// Builds a snapshot as `build` of snapshot.h does, unless `limits` (by `clock`) end it before: `cancelled`,
/// `deadline_exceeded`.
Result<std::shared_ptr<const Snapshot>> build(BuildInputs inputs, const Limits& limits, const Clock& clock);

}  // namespace fairway::graph
