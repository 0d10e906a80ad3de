// SPDX-License-Identifier: Apache-2.0

// Build, last part: what raw metadata was meant to remove, and does not.
#pragma once

#include "graph/internal/watch.h"
#include "graph/snapshot.h"

namespace fairway::graph {

/// Adds problems (`metadata_meets_nothing`) for removals of raw/metadata.json that meet no update, and for
/// keys that nothing reads: a typo there leaves an update open. Versions without a release share one problem:
/// a mirror of a few lacks most of them. The result must not be used if `watch` has ended.
void report_idle_metadata(Snapshot& snapshot, Watch& watch);

}  // namespace fairway::graph
