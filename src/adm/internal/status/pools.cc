// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/status/pools.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "adm/internal/columns.h"
#include "k8s/label_selector.h"

namespace fairway::adm {
namespace {

/// Number of nodes that are shown, if not all.
constexpr std::size_t shown_nodes = 10;

/// Returns the rank of a pool; the lowest wins when a node could be in several.
int precedence(std::string_view pool) {
  return pool == "master" ? 0 : pool == "worker" ? 2 : 1;
}

/// Returns the nodes of each pool, by the pool's index.
Result<std::vector<std::vector<const k8s::Dynamic*>>> nodes_by_pool(const StatusInput& input) {
  std::vector<std::pair<std::size_t, k8s::LabelSelector>> selectors;
  for (std::size_t i = 0; i < input.pools.size(); ++i) {
    auto selector = k8s::LabelSelector::from(input.pools[i].find("spec.nodeSelector"));
    if (!selector)
      return fail(selector.error().within("failed to get label selector from the pool: " +
                                          std::string(input.pools[i].name())));
    selectors.emplace_back(i, *std::move(selector));
  }
  std::ranges::stable_sort(selectors, {}, [&](const auto& one) {
    const std::string_view name = input.pools[one.first].name();
    return std::pair(precedence(name), name);
  });
  std::vector<std::vector<const k8s::Dynamic*>> nodes(input.pools.size());
  for (const k8s::Dynamic& node : input.nodes) {
    const auto pool =
        std::ranges::find_if(selectors, [&](const auto& one) { return one.second.matches(node.labels()); });
    if (pool != selectors.end()) nodes[pool->first].push_back(&node);
  }
  return nodes;
}

void count(PoolState& pool) {
  int pending = 0;
  for (const NodeState& node : pool.nodes) {
    if (!node.unavailable) ++pool.available;
    if (node.degraded) ++pool.degraded;
    if (node.phase == NodePhase::updated) {
      ++pool.updated;
      continue;
    }
    ++pool.outdated;
    if (node.phase == NodePhase::paused) ++pool.excluded;
    if (node.phase == NodePhase::pending) ++pending;
    if (node.phase == NodePhase::draining) ++pool.draining;
    const bool moving = node.phase == NodePhase::draining || node.phase == NodePhase::updating ||
                        node.phase == NodePhase::rebooting;
    if (moving && !node.degraded) ++pool.progressing;
  }
  const int total = static_cast<int>(pool.nodes.size());
  pool.assessment = pool.updated == total ? "Completed"
                    : pending == total    ? "Pending"
                    : pool.degraded > 0   ? "Degraded"
                    : pool.excluded > 0   ? "Excluded"
                                          : "Progressing";
}

void add_paused(const PoolState& pool, std::vector<Insight>& insights) {
  insights.push_back({.level = Level::warning,
                      .impact = "Update Stalled",
                      .summary = "Outdated nodes in a paused pool '" + pool.name + "' will not be updated",
                      .description = "Pool is paused, which stops all changes to the nodes in the pool, "
                                     "including updates. The nodes will "
                                     "not be updated until the pool is unpaused by the administrator.",
                      .reference =
                          "https://docs.openshift.com/container-platform/latest/support/troubleshooting/"
                          "troubleshooting-operator-issues.html#troubleshooting-disabling-autoreboot-mco_"
                          "troubleshooting-operator-issues",
                      .resources = {{"machineconfigpools.machineconfiguration.openshift.io", pool.name}}});
}

std::string status_text(const PoolState& pool) {
  std::string text = std::to_string(pool.available) + " Available, " + std::to_string(pool.progressing) +
                     " Progressing, " + std::to_string(pool.draining) + " Draining";
  if (pool.excluded > 0) text += ", " + std::to_string(pool.excluded) + " Excluded";
  if (pool.degraded > 0) text += ", " + std::to_string(pool.degraded) + " Degraded";
  return text;
}

/// Counts of the nodes that are not shown.
struct Omitted {
  int total = 0, completed = 0, available = 0, progressing = 0, outdated = 0, draining = 0, excluded = 0;

  void add(const NodeState& node) {
    ++total;
    ++(node.updated ? completed : outdated);
    if (!node.unavailable) ++available;
    if (node.phase == NodePhase::draining) ++draining;
    if (node.phase == NodePhase::paused) ++excluded;
    if (node.assessment == NodeAssessment::progressing) ++progressing;
  }
  std::string text() const {
    if (total == 0) return {};
    return "...\nOmitted additional " + std::to_string(total) + " Total, " + std::to_string(completed) +
           " Completed, " + std::to_string(available) + " Available, " + std::to_string(progressing) +
           " Progressing, " + std::to_string(outdated) + " Outdated, " + std::to_string(draining) +
           " Draining, " + std::to_string(excluded) +
           " Excluded, and 0 Degraded nodes.\nPass along --details=nodes to see all information.\n";
  }
};

}  // namespace

Result<std::vector<PoolState>> assess_pools(const StatusInput& input, bool migrating,
                                            std::vector<Insight>& insights) {
  const auto nodes = nodes_by_pool(input);
  if (!nodes) return fail(nodes.error());
  std::vector<PoolState> pools;
  for (std::size_t i = 0; i < input.pools.size(); ++i) {
    const k8s::Dynamic& pool = input.pools[i];
    PoolState state{.name = std::string(pool.name()),
                    .nodes = assess_nodes(input, pool, (*nodes)[i], migrating, insights)};
    count(state);
    if (state.excluded > 0 && pool.flag("spec.paused")) add_paused(state, insights);
    pools.push_back(std::move(state));
  }
  return pools;
}

std::string pool_table(const std::vector<PoolState>& pools) {
  std::string rows = "\nWORKER POOL\tASSESSMENT\tCOMPLETION\tSTATUS\n";
  for (const PoolState& pool : pools) {
    if (pool.is_control_plane()) continue;
    rows += pool.name + "\t";
    if (pool.nodes.empty()) {
      rows += "Empty\t\t0 Total\n";
      continue;
    }
    const double total = static_cast<double>(pool.nodes.size());
    rows += pool.assessment + "\t" + std::to_string(std::lrint(pool.updated / total * 100)) + "% (" +
            std::to_string(static_cast<int>(pool.nodes.size()) - pool.outdated) + "/" +
            std::to_string(pool.nodes.size()) + ")\t" + status_text(pool) + "\n";
  }
  return lay_out_columns(rows);
}

std::string node_table(const PoolState& pool, bool detailed) {
  if (pool.nodes.empty()) return {};
  if (pool.is_control_plane() && !pool.is_outdated())
    return "\nAll control plane nodes successfully updated to " + pool.nodes.front().version + "\n";
  Omitted omitted;
  std::string rows = "\nNAME\tASSESSMENT\tPHASE\tVERSION\tEST\tMESSAGE\n";
  for (std::size_t i = 0; i < pool.nodes.size(); ++i) {
    const NodeState& node = pool.nodes[i];
    const bool well = !node.degraded && (!node.unavailable || node.updating);
    if (!detailed && i >= shown_nodes && well) {
      omitted.add(node);
      continue;
    }
    rows += node.name + "\t" + std::string(to_string(node.assessment)) + "\t" +
            std::string(to_string(node.phase)) + "\t" + (node.version.empty() ? "?" : node.version) + "\t" +
            node.estimate + "\t" + node.message + "\n";
  }
  const std::string title =
      pool.is_control_plane() ? "\nControl Plane Nodes" : "\nWorker Pool Nodes: " + pool.name;
  return title + lay_out_columns(rows) + omitted.text();
}

}  // namespace fairway::adm
