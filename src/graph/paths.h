// SPDX-License-Identifier: Apache-2.0

// Update paths from one release to another, and releases without a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "graph/snapshot.h"

namespace fairway::graph {

struct Hop {
  std::string from = {}, to = {};
  std::string channel = {};             ///< the first of `channels` that has this edge
  std::vector<std::string> risks = {};  ///< names; empty: recommended to all
};
using Path = std::vector<Hop>;

/// Returns the distinct names of a path's risks, sorted.
std::vector<std::string> risks_of(const Path& path);

struct PathQuestion {
  std::vector<std::string> channels = {};  ///< a hop has both ends in one of them
  std::string arch = "amd64";
  std::string from = {}, to = {};       ///< "4.7.4", or "4.7.4+ARCH"
  std::vector<std::string> avoid = {};  ///< names of risks: no hop may have one of them
  std::size_t count = 3;
};

struct PathAnswer {
  /// Loop-free paths: fewest hops first, then fewest distinct risks, then higher intermediate versions first.
  std::vector<Path> paths = {};
  /// A longer path with fewer distinct risks than all of `paths`, where one was found.
  std::optional<Path> fewest_risks = {};
  /// Reason why there is no path; "" if there is one.
  std::string reason = {};
  /// Names in `avoid` that no update in these channels has: gone, or misspelt.
  std::vector<std::string> unknown_risks = {};

  /// Returns {"paths":[{"hops":[{"from","to","channel","risks"}]}]} and, if not empty,
  /// "fewestRisks":{"hops"}, "reason" and "unknownRisks".
  json::Object to_json() const;
};

/// Finds paths. A hop is an edge, conditional ones included. Unknown or hidden channels add nothing, and are
/// named if nothing is found. The search is bounded: if it ends early, the paths are valid, but a better one
/// with as many hops may exist. A path with fewer risks is searched among those with a few hops more than the
/// shortest one, and among those of any length without any risk.
PathAnswer find_paths(const View& view, const PathQuestion& question);

struct Stranded {
  std::string highest = {};  ///< the channel's highest version; "" if it is empty
  std::vector<std::string> stranded =
      {};                               ///< versions without a path to `highest` over recommended edges only
  std::vector<std::string> stuck = {};  ///< versions without one over conditional edges either (a subset of
                                        ///< `stranded`)
  /// {"highest","stranded":[...],"stuck":[...]}
  json::Object to_json() const;
};
Stranded find_stranded(const UpdateGraph& graph);

}  // namespace fairway::graph
