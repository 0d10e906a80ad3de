// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/kept_order.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fairway::operators {
namespace {

/// Returns the bodies of risks in byte order.
std::vector<std::string> bodies(const std::vector<graph::Risk>& risks) {
  std::vector<std::string> all;
  all.reserve(risks.size());
  for (const graph::Risk& risk : risks) all.push_back(risk.body());
  std::ranges::sort(all);
  return all;
}

void keep_order_of_texts(std::vector<std::string>& now, const std::vector<std::string>& before) {
  if (now != before && std::ranges::is_permutation(now, before)) now = before;
}

}  // namespace

void keep_order(AvailableUpdates& now, const AvailableUpdates& before) {
  for (std::size_t i = 0; i < now.targets.size(); ++i) {
    std::vector<graph::Risk>& risks = now.updates[i].risks;
    if (risks.size() < 2) continue;
    const auto found = std::ranges::find_if(before.targets, [&](const ListedRelease& one) {
      return one.image == now.targets[i].image && one.version == now.targets[i].version;
    });
    if (found == before.targets.end()) continue;
    const auto& old = before.updates[static_cast<std::size_t>(found - before.targets.begin())].risks;
    if (old.size() == risks.size() && bodies(old) == bodies(risks)) risks = old;
  }
  keep_order_of_texts(now.problems, before.problems);
  keep_order_of_texts(now.notes, before.notes);
}

}  // namespace fairway::operators
