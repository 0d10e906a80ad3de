// SPDX-License-Identifier: Apache-2.0

#include "graph/size.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::graph {
namespace {

/// Bytes around the texts of a node, and bytes of an edge.
constexpr std::size_t node_bytes = 64, edge_bytes = 14;

std::size_t quoted_size(std::string_view text) {
  std::string out;
  json::append_quoted(out, text);
  return out.size();
}

std::size_t size_of(const SnapshotRelease& release, const std::vector<std::size_t>& channels) {
  std::size_t bytes = node_bytes + release.text.size() + quoted_size(release.payload);
  for (const auto& [key, value] : release.metadata) bytes += quoted_size(key) + quoted_size(value) + 2;
  for (const std::uint32_t channel : release.channels) bytes += channels[channel];
  return bytes;
}

}  // namespace

std::size_t served_bytes(const Snapshot& snapshot, std::size_t limit) {
  std::vector<std::size_t> risks, lists, channels;
  for (const Risk& risk : snapshot.risks) risks.push_back(risk.body().size() + 1);
  for (const auto& list : snapshot.risk_sets) {
    std::size_t bytes = node_bytes;
    for (const std::uint32_t risk : list) bytes += risks[risk];
    lists.push_back(bytes);
  }
  for (const SnapshotChannel& channel : snapshot.channels) channels.push_back(quoted_size(channel.name));
  std::size_t bytes = 0;
  for (const Architecture& architecture : snapshot.architectures) {
    std::vector<std::size_t> releases,
        first_edge(architecture.releases.size() + 1, architecture.edges.size());
    for (const SnapshotRelease& release : architecture.releases)
      releases.push_back(size_of(release, channels));
    for (std::size_t i = architecture.edges.size(); i-- > 0;) first_edge[architecture.edges[i].from] = i;
    for (std::size_t i = architecture.releases.size(); i-- > 0;)
      first_edge[i] = std::min(first_edge[i], first_edge[i + 1]);
    // The number of the channel that a release or a list was met in last.
    std::vector<std::size_t> member_of(architecture.releases.size()), counted_in(lists.size());
    for (std::size_t channel = 0; channel < architecture.members.size(); ++channel) {
      for (const std::uint32_t release : architecture.members[channel]) {
        member_of[release] = channel + 1;
        bytes += releases[release];
      }
      for (const std::uint32_t from : architecture.members[channel]) {
        for (std::size_t i = first_edge[from]; i < first_edge[from + 1]; ++i) {
          const SnapshotEdge& edge = architecture.edges[i];
          if (member_of[edge.to] != channel + 1) continue;
          bytes += edge_bytes;
          if (edge.risk_set == 0 || counted_in[edge.risk_set] == channel + 1) continue;
          counted_in[edge.risk_set] = channel + 1;
          bytes += lists[edge.risk_set];
        }
        if (bytes > limit) return bytes;
      }
    }
  }
  return bytes;
}

}  // namespace fairway::graph
