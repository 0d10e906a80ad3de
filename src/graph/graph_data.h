// SPDX-License-Identifier: Apache-2.0

// Parsed graph data: channels, blocked edges and extra metadata. `graphdata` loads it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "base/semver.h"
#include "graph/problem.h"
#include "graph/risk.h"

namespace fairway::graph {

struct ChannelVersion {
  Version version = {};  ///< a build text limits it to that architecture
  Place place = {};
};

/// The channel that promotes versions into this one, and the versions that it promotes.
struct Feeder {
  std::string name = {};
  std::string filter = {};  ///< regular expression over versions; "": all
  std::string delay = {};   ///< ISO 8601, as written
  std::string errata = {};  ///< value of `errata`, as written
  Place place = {};
};

struct ChannelData {
  std::string name = {};
  std::string description = {};  ///< "" where none is given
  Place place = {};              ///< place of `name`
  std::vector<ChannelVersion> versions = {};
  /// Versions that are not promoted into channels that this one feeds; no effect on this channel.
  std::vector<ChannelVersion> tombstones = {};
  std::optional<Feeder> feeder = {};
};

/// The effect of one blocked-edges file on the edges into one target.
struct Block {
  enum class Effect {
    removed,         ///< the edge is not served at all
    conditional,     ///< the edge is conditional on `risk`
    not_understood,  ///< not understood: every edge into `to` is conditional on `risk`
                     ///< (GraphDataNotUnderstood, Always)
  };
  Effect effect = Effect::not_understood;
  std::string file = {};  ///< "blocked-edges/4.7.4-x.yaml"
  Place place = {};       ///< place of the value of `to`
  Version to = {};        ///< a build text limits it to that architecture
  /// Expression searched in `version+arch` of the source; std::nullopt for not_understood (every source).
  std::optional<Pattern> from = {};
  Risk risk = {};  ///< for conditional and not_understood
};

/// Metadata added by graph data that could not be understood, so that the edges it removes are
/// unknown.
struct MetadataFault {
  /// The edges that it may remove.
  struct Edges {
    std::optional<Version>
        version;  ///< edges of this one (a build text limits it to that architecture); nothing: any
    bool into = true, out_of = true;
  };
  Edges edges = {};
  Place place = {};
  Risk risk = {};  ///< GraphDataNotUnderstood, Always
};

struct GraphData {
  Version schema = {};
  std::string source = {};                 ///< name that the user gave the source
  std::vector<ChannelData> channels = {};  ///< in byte order of their files
  std::vector<Block> blocks = {};          ///< in byte order of their files
  /// raw/metadata.json: version (with or without build text) -> key -> value
  std::map<std::string, std::map<std::string, std::string>> raw_metadata = {};
  /// Places of the keys of `raw_metadata` that change edges or look like it: version -> key -> place.
  std::map<std::string, std::map<std::string, Place>> raw_metadata_places = {};
  std::vector<MetadataFault> metadata_faults = {};
  std::vector<Problem> problems = {};
};

}  // namespace fairway::graph
