// SPDX-License-Identifier: Apache-2.0

// Names of files that contain a hidden name, and neutral names for them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/internal/withheld.h"

namespace fairway::graph {

/// Returns replacements for those of `paths` (sorted) whose names mention something hidden. They keep the
/// order in which the files of graph data are read, their folders and their endings. If no name fits between
/// two neighbours, the later one gets another name too.
std::map<std::string, std::string> neutral_paths(const std::vector<std::string>& paths,
                                                 const Withheld& withheld);

}  // namespace fairway::graph
