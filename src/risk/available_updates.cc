// SPDX-License-Identifier: Apache-2.0

#include "risk/available_updates.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "graph/asked_version.h"

namespace fairway::risk {

Result<AvailableUpdates> available_updates(const graph::UpdateGraph& graph, std::string_view from,
                                           std::string_view arch) {
  auto current = graph.find(from);
  if (!current) current = graph.find(graph::without_architecture(from, arch));
  if (!current)
    return fail(ErrorCode::not_found, "there is no release " + printable(from) + " in this graph");
  // Nodes ascend by version.
  std::vector<std::uint32_t> unconditional;
  std::vector<std::pair<std::uint32_t, const std::vector<graph::Risk>*>> conditional;
  for (const auto& [source, target] : graph.edges) {
    if (source == *current) unconditional.push_back(target);
  }
  for (const auto& [edges, risks] : graph.conditional_edges) {
    for (const auto& [source, target] : edges) {
      if (source == *current) conditional.emplace_back(target, &risks);
    }
  }
  std::ranges::sort(unconditional, std::greater());
  std::ranges::sort(conditional, [](const auto& a, const auto& b) { return a.first > b.first; });
  AvailableUpdates available;
  available.from = graph.nodes[*current].version;
  for (const std::uint32_t target : unconditional) available.unconditional.push_back(graph.nodes[target]);
  for (const auto& [target, risks] : conditional) {
    const graph::Node& node = graph.nodes[target];
    auto version = Version::parse(node.version);
    if (!version) return fail(version.error());
    available.targets.push_back(node);
    available.updates.push_back({*std::move(version), *risks});
  }
  return available;
}

}  // namespace fairway::risk
