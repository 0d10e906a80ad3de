// raw/metadata.json: metadata that graph data adds to releases, and what becomes of the edges that it may
// have been meant to remove where it is not understood.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph_data.h"
#include "graphdata/internal/fault.h"
#include "graphdata/load.h"

namespace fairway::graphdata {

inline constexpr const char* raw_metadata_path = "raw/metadata.json";

struct RawMetadata {
  /// What is understood: version (with or without build text) -> key -> value.
  std::map<std::string, std::map<std::string, std::string>> entries;
  /// What is not, in the order of the file.
  struct Misunderstood {
    Fault fault;
    /// The edges that it may remove: none where only something that is shown is lost.
    std::optional<graph::MetadataDoubt::Edges> edges;
  };
  std::vector<Misunderstood> misunderstood;
};

/// Reads {version: {key: text}}; empty where the file is absent. Never fails: what is not understood is
/// named, with the edges that it may have removed. What it may have added is not there.
RawMetadata read_raw_metadata(const Files& files);

}  // namespace fairway::graphdata
