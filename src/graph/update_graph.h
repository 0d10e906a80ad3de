// SPDX-License-Identifier: Apache-2.0

// The update graph of one channel and architecture, as served to clusters, and its Cincinnati JSON.
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

/// Node metadata key that lists a release's channels (available-update-metadata of docs/api.md).
inline constexpr const char* channels_key = "io.openshift.upgrades.graph.release.channels";

struct Node {
  std::string version = {};                                        ///< without build text
  std::string payload = {};                                        ///< pull spec
  std::vector<std::pair<std::string, std::string>> metadata = {};  ///< sorted by key; `channels_key` included

  std::string_view find_metadata(std::string_view key) const;  ///< "" if absent
};

using IndexPair = std::pair<std::uint32_t, std::uint32_t>;

/// Edges with the same list of risks.
struct ConditionalEdges {
  std::vector<IndexPair> edges = {};  ///< indices into `nodes`, sorted
  std::vector<Risk> risks = {};
};

struct UpdateGraph {
  std::vector<Node> nodes = {};       ///< ascending by SemVer precedence
  std::vector<IndexPair> edges = {};  ///< recommended to all clusters; indices into `nodes`, sorted
  std::vector<ConditionalEdges> conditional_edges =
      {};  ///< sorted by their first edge; no edge is in two of them

  /// Returns the index of a version, or std::nullopt.
  std::optional<std::uint32_t> find(std::string_view version) const;
};

/// Returns the Cincinnati JSON text: {"version":1,"nodes":[...],"edges":[[i,j]],"conditionalEdges":[...]}.
/// Deterministic: the same graph gives the same bytes.
std::string to_cincinnati_json(const UpdateGraph& graph);

struct ReadGraph {
  UpdateGraph graph = {};
  std::vector<Problem> problems = {};
};

/// Parses the reply of another update service, with or without `version`, tolerating errors item by item: an
/// invalid node, edge or risk is left out with what depends on it, and never makes an update more
/// recommended. An edge with a risk that cannot be understood keeps an `Always` risk that says so (or is
/// dropped, if its ends are unclear), an edge in both lists is conditional, and a node without a valid
/// version is dropped with its edges. Each is reported in `problems` (place.file is `source`). A text that is
/// not a JSON object, or a `version` other than 1, is an Error.
Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source);

}  // namespace fairway::graph
