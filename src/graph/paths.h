// Update paths from one release to another, and releases without a path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "graph/snapshot.h"

namespace fairway::graph {

struct Hop {
  std::string from, to;
  std::string channel;             ///< the first of `channels` that has this edge
  std::vector<std::string> risks;  ///< names; empty: recommended to all
};
using Path = std::vector<Hop>;

/// At most `count` loop-free paths, fewest hops first, then fewest distinct risks, then higher intermediate
/// versions first. A hop is an edge, conditional ones included, whose ends are both in one of `channels`.
/// Unknown or hidden channels add nothing. The search is bounded: if it ends early, the paths are valid, but
/// a better one with as many hops may exist.
std::vector<Path> find_paths(const View& view, const std::vector<std::string>& channels,
                             std::string_view arch, std::string_view from, std::string_view to,
                             std::size_t count = 3);
/// {"paths":[{"hops":[{"from","to","channel","risks"}]}]}
json::Object paths_to_json(const std::vector<Path>& paths);

struct Stranded {
  std::string highest;                ///< the channel's highest version; "" if it is empty
  std::vector<std::string> stranded;  ///< no path to `highest` over recommended edges only
  std::vector<std::string> stuck;     ///< none over conditional edges either (a subset of `stranded`)
  /// {"highest","stranded":[...],"stuck":[...]}
  json::Object to_json() const;
};
Stranded find_stranded(const UpdateGraph& graph);

}  // namespace fairway::graph
