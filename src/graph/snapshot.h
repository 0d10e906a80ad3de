// SPDX-License-Identifier: Apache-2.0

// The result of one build: all releases of all architectures, all edges, all channels.
// Immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_data.h"
#include "graph/release.h"
#include "graph/update_graph.h"
#include "graph/view.h"

namespace fairway::graph {

/// The reply of another update service for one channel and architecture.
struct UpstreamGraph {
  std::string source = {};  ///< its URL, for messages
  std::string channel = {};
  std::string arch = {};
  UpdateGraph graph = {};
};

struct BuildInputs {
  std::vector<Release> releases = {};
  std::vector<UpstreamGraph> upstreams = {};
  std::shared_ptr<const GraphData> graph_data = std::make_shared<const GraphData>();  ///< never null
  /// Problems found while loading; the build adds its own.
  std::vector<Problem> problems = {};
  /// The url of risks that were merged from several bodies and have none.
  std::string problem_url = {};
};

/// A release in a snapshot.
struct SnapshotRelease {
  Version version = {};   ///< without build text
  std::string text = {};  ///< version.to_string()
  std::string payload = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};  ///< sorted; without `channels_key`
  std::vector<std::uint32_t> channels = {};  ///< indices into Snapshot::channels, in the order of display
  std::string source = {};
};

struct SnapshotEdge {
  std::uint32_t from = 0, to = 0;  ///< indices into releases
  std::uint32_t risk_set = 0;      ///< index into Snapshot::risk_sets; 0 is the empty set: recommended to all
};

/// An edge that releases or upstreams declare, but that is not served.
struct RemovedEdge {
  enum class Why { blocked, metadata, left_out };
  std::uint32_t from = 0, to = 0;
  Why why = Why::blocked;
  std::uint32_t problem = 0;   ///< for left_out: index into Snapshot::problems
  std::uint32_t risk_set = 0;  ///< for left_out: the risks that it would have, index into risk_sets
};

struct Architecture {
  std::string name = {};
  std::vector<SnapshotRelease> releases = {};  ///< ascending
  std::vector<SnapshotEdge> edges = {};        ///< sorted by from, to
  std::vector<RemovedEdge> removed = {};       ///< sorted by from, to
  /// Sorted indices of the releases of each channel of the snapshot.
  std::vector<std::vector<std::uint32_t>> members = {};

  std::optional<std::uint32_t> find(std::string_view version) const;
  /// Returns the edge, or nullptr.
  const SnapshotEdge* find_edge(std::uint32_t from, std::uint32_t to) const;
};

struct SnapshotChannel {
  std::string name = {};
  std::string description = {};
  /// Index into graph_data.channels; std::nullopt for a channel that only an upstream has.
  std::optional<std::uint32_t> data = {};
};

class Snapshot {
 public:
  std::vector<Architecture> architectures;  ///< sorted by name
  std::vector<SnapshotChannel> channels;    ///< sorted by name
  std::vector<Risk> risks;
  std::vector<std::vector<std::uint32_t>> risk_sets;  ///< indices into risks, in serving order; [0] is empty
  std::vector<Problem> problems;
  /// The graph data, never null. Shared by all snapshots that are built from it.
  std::shared_ptr<const GraphData> graph_data = std::make_shared<const GraphData>();
  /// Channels that list or tombstone a version: by version (without build metadata) and architecture, "" for
  /// all. Versions in no channel are absent.
  std::map<std::string, std::map<std::string, std::vector<std::uint32_t>, std::less<>>, std::less<>>
      version_channels;

  const Architecture* find_architecture(std::string_view name) const;
  std::optional<std::uint32_t> find_channel(std::string_view name) const;
  /// Returns the graph served to clusters of this channel and architecture if nothing is hidden; see
  /// View::channel_graph.
  UpdateGraph channel_graph(std::string_view channel, std::string_view arch) const {
    return View(*this).channel_graph(channel, arch);
  }
};

/// Merges releases, upstreams and graph data. Never fails: unusable parts are left out and reported in
/// `problems`. Order, as in Cincinnati's plugins: primary edges, edges added by metadata, blocked edges,
/// edges removed by metadata. Local graph data only removes edges that an upstream recommends, or adds risks.
std::shared_ptr<const Snapshot> build(BuildInputs inputs);

/// Compares channel names in the order of node metadata: by the text after the first "-", then by the whole
/// name, in byte order.
bool channel_display_less(std::string_view a, std::string_view b);

}  // namespace fairway::graph
