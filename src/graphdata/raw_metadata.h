// SPDX-License-Identifier: Apache-2.0

// raw/metadata.json: metadata that graph data adds to releases. Entries that are not understood are kept with
// the edges that they may have been meant to remove.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph_data.h"
#include "graphdata/internal/fault.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

class Budget;

inline constexpr const char* raw_metadata_path = "raw/metadata.json";

struct RawMetadata {
  /// Entries that were understood: version (with or without build text) -> key -> value.
  std::map<std::string, std::map<std::string, std::string>> entries = {};
  /// Places of their keys that change edges or look like it.
  std::map<std::string, std::map<std::string, graph::Place>> places = {};
  /// Entries that were not understood, in the order of the file.
  struct Misunderstood {
    Fault fault = {};
    /// The edges that it may remove; std::nullopt if only display metadata is lost.
    std::optional<graph::MetadataFault::Edges> edges = {};
  };
  std::vector<Misunderstood> misunderstood = {};
};

/// Reads {version: {key: text}}; empty where the file is absent. Never fails: entries that are not understood
/// are listed, with the edges that they may have removed. Edges that they may have added are not added.
RawMetadata read_raw_metadata(const Files& files, Budget& budget);

}  // namespace fairway::graphdata
