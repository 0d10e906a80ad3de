// SPDX-License-Identifier: Apache-2.0

// The size of the graphs of a build.
#pragma once

#include <cstddef>

#include "graph/snapshot.h"

namespace fairway::graph {

/// Returns about how many bytes the graphs of all channels and architectures take together as JSON, or a
/// number above `limit` once they exceed it. A text of a megabyte in one risk is repeated in every graph with
/// an update that has the risk.
std::size_t served_bytes(const Snapshot& snapshot, std::size_t limit);

}  // namespace fairway::graph
