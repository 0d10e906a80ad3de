// Build, last part: what raw metadata was meant to remove, and does not.
#pragma once

#include "graph/internal/watch.h"
#include "graph/snapshot.h"

namespace fairway::graph {

/// Adds problems (`metadata_meets_nothing`) for removals of raw/metadata.json that meet no update, and for
/// keys that nothing reads: a typo there leaves an update open. Releases that are not there are named in one
/// problem: a mirror of a few lacks most of them. Of no use where `watch` has ended.
void report_idle_metadata(Snapshot& snapshot, Watch& watch);

}  // namespace fairway::graph
