// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/plan/estimate.h"

#include <algorithm>
#include <vector>

#include "adm/internal/status/durations.h"
#include "base/semver.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::UpdateHistory;
using std::chrono::seconds;

/// Longest time of an update that an estimate is drawn from: a longer one was left alone.
constexpr seconds longest = std::chrono::days(7);

/// Returns the times of completed updates that changed the minor version, or did not.
std::vector<seconds> times_of(const ClusterVersion& cluster, bool changes_minor) {
  const std::vector<UpdateHistory> history = cluster.history();
  std::vector<seconds> times;
  for (std::size_t i = 0; i + 1 < history.size(); ++i) {
    const UpdateHistory& entry = history[i];
    // The release before is the one that was completed last; the oldest of all was installed.
    const auto before = std::find_if(history.begin() + static_cast<std::ptrdiff_t>(i) + 1, history.end(),
                                     [](const UpdateHistory& one) { return one.is_completed(); });
    const auto started = entry.started(), completed = entry.completed();
    if (!entry.is_completed() || before == history.end() || !started || !completed) continue;
    const auto from = Version::parse(before->version()), to = Version::parse(entry.version());
    if (!from || !to || compare_precedence(*to, *from) <= 0) continue;
    const auto time = std::chrono::duration_cast<seconds>(elapsed(*started, *completed));
    if (time <= seconds::zero() || time > longest) continue;
    if ((from->minor_text() != to->minor_text()) == changes_minor) times.push_back(time);
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

std::optional<Estimate> estimate_update(const ClusterVersion& cluster, bool changes_minor) {
  std::vector<seconds> times = times_of(cluster, changes_minor);
  const bool is_of_same_kind = !times.empty();
  if (times.empty()) times = times_of(cluster, !changes_minor);
  if (times.empty()) return std::nullopt;
  const std::size_t middle = times.size() / 2;
  const seconds usual = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return Estimate{.usual = usual,
                  .least = times.front(),
                  .most = times.back(),
                  .updates = times.size(),
                  .is_of_same_kind = is_of_same_kind};
}

std::optional<seconds> estimate_path(const PlannedPath& path, const ClusterVersion& cluster) {
  seconds all{};
  for (const bool changes_minor : {false, true}) {
    const auto hops = std::ranges::count(path.hops, changes_minor, &PlannedHop::changes_minor);
    if (hops == 0) continue;
    const auto estimate = estimate_update(cluster, changes_minor);
    if (!estimate) return std::nullopt;
    all += estimate->usual * hops;
  }
  return all;
}

}  // namespace fairway::adm
