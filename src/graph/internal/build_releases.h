// SPDX-License-Identifier: Apache-2.0

// Build, first part: which releases there are, per architecture, and their metadata.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/internal/watch.h"
#include "graph/snapshot.h"

namespace fairway::graph {

/// A release while the graph is being built.
struct DraftRelease {
  SnapshotRelease release = {};
  std::map<std::string, std::string> metadata = {};  ///< raw metadata appended, `channels_key` gone
  /// Metadata whose keys add and remove edges. An upstream has already applied the metadata of its own nodes
  /// and still lists it (a `remove_regex` of `.*` beside conditional edges), so only raw metadata counts for
  /// its releases.
  std::map<std::string, std::string> operations = {};
  /// Expression by which raw metadata removes updates, in addition to that of the release's own metadata.
  std::optional<std::string> raw_remove_regex = {};
  std::vector<std::string> previous = {}, next = {};
  bool local = false;                               ///< true if an image or release list of ours declares it
  std::vector<std::string> upstream_channels = {};  ///< channels in which an upstream lists it
};

struct DraftArchitecture {
  std::string name = {};
  std::vector<DraftRelease> releases = {};                       ///< ascending
  std::map<std::string, std::uint32_t, std::less<>> index = {};  ///< indices of `releases` by version text
  /// Nodes of each upstream graph of this architecture (by its index in BuildInputs::upstreams), as indices
  /// of the releases here.
  std::map<std::size_t, std::vector<std::optional<std::uint32_t>>> upstream_nodes = {};

  /// Returns the release of a version as metadata writes it: without build text, or with that of this
  /// architecture.
  std::optional<std::uint32_t> find(std::string_view version) const;
};

/// Merges what all sources offer. Of two images with one version and architecture the first one counts
/// (sources in the order of the flags, ours before upstreams'), and a problem names both; one without an
/// image gives way to any that has one. The first also counts where two sources give one image other updates
/// or other metadata. The result must not be used if `watch` has ended.
std::vector<DraftArchitecture> draft_architectures(const BuildInputs& inputs, std::vector<Problem>& problems,
                                                   Watch& watch);

}  // namespace fairway::graph
