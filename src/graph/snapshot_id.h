// SPDX-License-Identifier: Apache-2.0

// One name for all that a build recommends, so that somebody can accept it.
#pragma once

#include <string>

#include "graph/snapshot.h"

namespace fairway::graph {

/// Returns 32 hex digits: a hash of all releases with their images and channels, and of all updates with
/// their risks or removal. Texts of risks and problems are not in it.
std::string snapshot_id(const Snapshot& snapshot);

}  // namespace fairway::graph
