// The update graph of one channel and architecture: what a cluster is told. The Cincinnati JSON form of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "graph/problem.h"
#include "graph/risk.h"

namespace fairway::graph {

/// Node metadata key that lists a release's channels (spec: available-update-metadata).
inline constexpr const char* channels_key = "io.openshift.upgrades.graph.release.channels";

struct Node {
  std::string version;                                        ///< without build text
  std::string payload;                                        ///< pull spec
  std::vector<std::pair<std::string, std::string>> metadata;  ///< sorted by key; `channels_key` included

  std::string_view find_metadata(std::string_view key) const;  ///< "" where there is none
};

using IndexPair = std::pair<std::uint32_t, std::uint32_t>;

/// Edges with the same list of risks.
struct ConditionalEdges {
  std::vector<IndexPair> edges;  ///< indices into `nodes`, sorted
  std::vector<Risk> risks;
};

struct UpdateGraph {
  std::vector<Node> nodes;       ///< ascending by SemVer precedence
  std::vector<IndexPair> edges;  ///< recommended to all; indices into `nodes`, sorted
  std::vector<ConditionalEdges>
      conditional_edges;  ///< sorted by their first edge; no edge stands in two of them

  /// The index of a version, or nothing.
  std::optional<std::uint32_t> find(std::string_view version) const;
};

/// The Cincinnati JSON text: {"version":1,"nodes":[...],"edges":[[i,j]],"conditionalEdges":[...]}. The same
/// graph gives the same bytes.
std::string to_cincinnati_json(const UpdateGraph& graph);

struct ReadGraph {
  UpdateGraph graph;
  std::vector<Problem> problems;
};

/// Reads another update service's answer, with or without `version`, and tolerates it item by item: a bad
/// node, edge or risk costs itself and whatever hangs on it, and never widens: an edge with a risk that
/// cannot be understood keeps an `Always` risk that says so (or goes, where even its ends are unclear), an
/// edge in both lists is conditional, and a node without usable version takes its edges with it. Each is
/// named in `problems` (place.file is `source`). A text that is no JSON object, or a `version` other than 1,
/// is an Error.
Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source);

}  // namespace fairway::graph
