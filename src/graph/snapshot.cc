// SPDX-License-Identifier: Apache-2.0

#include "graph/snapshot.h"

#include <algorithm>

namespace fairway::graph {

std::optional<std::uint32_t> Architecture::find(std::string_view version) const {
  const auto parsed = Version::parse(version);
  if (!parsed) return std::nullopt;
  const auto found =
      std::ranges::lower_bound(releases, parsed->with_build(""), {}, &SnapshotRelease::version);
  if (found == releases.end() || found->text != version) return std::nullopt;
  return static_cast<std::uint32_t>(found - releases.begin());
}

const SnapshotEdge* Architecture::find_edge(std::uint32_t from, std::uint32_t to) const {
  const auto key = [](const SnapshotEdge& edge) { return IndexPair(edge.from, edge.to); };
  const auto found = std::ranges::lower_bound(edges, IndexPair(from, to), {}, key);
  return found != edges.end() && key(*found) == IndexPair(from, to) ? &*found : nullptr;
}

const Architecture* Snapshot::find_architecture(std::string_view name) const {
  const auto found = std::ranges::find(architectures, name, &Architecture::name);
  return found != architectures.end() ? &*found : nullptr;
}

std::optional<std::uint32_t> Snapshot::find_channel(std::string_view name) const {
  const auto found = std::ranges::lower_bound(channels, name, {}, &SnapshotChannel::name);
  if (found == channels.end() || found->name != name) return std::nullopt;
  return static_cast<std::uint32_t>(found - channels.begin());
}

bool channel_display_less(std::string_view a, std::string_view b) {
  const auto suffix = [](std::string_view name) {
    const std::size_t dash = name.find('-');
    return dash == std::string_view::npos ? name : name.substr(dash + 1);
  };
  const int order = suffix(a).compare(suffix(b));
  return order != 0 ? order < 0 : a < b;
}

}  // namespace fairway::graph
