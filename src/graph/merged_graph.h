// SPDX-License-Identifier: Apache-2.0

// The updates of several channels as one graph, for plans of several hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/semver.h"
#include "graph/risk.h"
#include "graph/update_graph.h"

namespace fairway::graph {

/// A channel, and the graph that a service has for it.
struct ChannelGraph {
  std::string channel = {};
  UpdateGraph graph = {};
};

/// The updates of several channels. What is listed by position has its position in the list of that name.
struct MergedGraph {
  struct Release {
    std::string version = {};
    Version number = {};
    std::string image = {};
    std::vector<std::string> channels = {};  ///< channels that its metadata lists
  };
  struct Update {
    std::uint32_t from = 0, to = 0;            ///< positions in `releases`; `from` is below `to`
    std::uint32_t risks = 0;                   ///< position in `risk_lists`
    std::vector<std::uint32_t> channels = {};  ///< positions in `channels`, ascending; never empty
  };

  std::vector<std::string> channels = {};                     ///< names, each once, in the given order
  std::vector<Release> releases = {};                         ///< ascending by version
  std::vector<Risk> risks = {};                               ///< each body once
  std::vector<std::uint32_t> name_of = {};                    ///< for each risk the number of its name
  std::size_t names = 0;                                      ///< number of distinct names of risks
  std::vector<std::vector<std::uint32_t>> risk_lists = {{}};  ///< positions in `risks`; the first is empty
  std::vector<Update> updates = {};                           ///< sorted by `from`, then `to`
  /// Updates that no operator accepts (`is_one_step`), and that are therefore left out.
  std::vector<std::pair<std::string, std::string>> left_out = {};
  /// False if updates are left out, since `merge` keeps no more entries, or at a stop.
  bool is_complete = true;

  /// Returns the position of a release, or std::nullopt.
  std::optional<std::uint32_t> find(std::string_view version) const;
  /// Returns the risks of an update, as positions.
  const std::vector<std::uint32_t>& risks_of(const Update& update) const { return risk_lists[update.risks]; }
};

/// Returns whether an update from one release to a later one stays in the minor version, or goes to the next
/// one, or from a 4 to 5.0. Operators refuse others (docs/operator-reference.md, section Preconditions).
bool is_one_step(const Version& from, const Version& to);

/// Most entries of the updates and of the lists of risks of a merged graph together. An update counts as
/// `update_entries`, since it needs the more memory.
inline constexpr std::size_t max_merged_entries = 8'000'000, update_entries = 4;

/// Merges the graphs of channels. An update that several channels have has the risks of all of them, so that
/// a merged graph never recommends more than one of its channels. Updates to older releases are left out. The
/// updates and their lists of risks have `max_entries` entries together at most; updates that would need more
/// are left out, those of the last channels first. At a stop it ends early, and the graph is not whole.
MergedGraph merge(const std::vector<ChannelGraph>& graphs, std::size_t max_entries = max_merged_entries,
                  const std::stop_token& stop = {});

}  // namespace fairway::graph
