// Which questions one fetch of series serves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "risk/condition.h"
#include "risk/evaluators/internal/snapshot_plan.h"

namespace fairway::risk {

/// A question that can be evaluated over fetched series, and how Prometheus 2 reads it.
struct Planned {
  SnapshotPlan plan;
  Question in_prometheus2;
};

/// Nothing where the question is for the server alone: plain series do not bring what it needs, or only one
/// of the two dialects understands it, and nobody here knows which one the server speaks.
std::optional<Planned> plan_of(const Question& question);

/// Metric names of one fetch.
struct Names {
  std::set<std::string, std::less<>> names;
  std::size_t bytes = 0;

  std::size_t bytes_with(const std::set<std::string>& more) const {
    std::size_t sum = bytes;
    for (const std::string& name : more) sum += names.contains(name) ? 0 : name.size() + 1;
    return sum;
  }
  std::size_t count_with(const SnapshotPlan& plan) const {
    std::set<std::string_view> more;
    for (const auto* named : {&plan.present, &plan.past}) {
      for (const std::string& name : *named) {
        if (!names.contains(name)) more.insert(name);
      }
    }
    return names.size() + more.size();
  }
  void add(const std::set<std::string>& more) {
    bytes = bytes_with(more);
    names.insert(more.begin(), more.end());
  }
};

/// All series of a fetch come with the widest window that any of its questions has: those that look much less
/// far back wait for a fetch of their own.
inline constexpr promql::Nanoseconds most_times_wider = 12;

/// Questions that are judged by the same fetches: one of the present, one of ranges, or only one of the two.
struct Batch {
  std::vector<std::size_t> members;  ///< indices into what is due
  std::vector<const SnapshotPlan*> plans;
  std::vector<const Question*> in_prometheus2;
  Names present, past, all;
  promql::Nanoseconds window = 0, narrowest = 0;  ///< of ranges; 0: there are none
  bool of_suspects = false;                       ///< an earlier fetch failed with each of them
  std::size_t most_names = std::numeric_limits<std::size_t>::max();

  /// Whether a plan adds no metrics, or has them fetched with so few others.
  bool has_names_for(const SnapshotPlan& plan, std::size_t most) const {
    const std::size_t count = all.count_with(plan);
    return count == all.names.size() || count <= std::min(most, most_names);
  }
  bool has_room_for(const SnapshotPlan& plan, std::size_t most) const {
    if (members.empty()) return true;
    if (plan.window != 0 && window != 0 &&
        std::max(plan.window, window) / most_times_wider > std::min(plan.window, narrowest))
      return false;
    return present.bytes_with(plan.present) <= most && past.bytes_with(plan.past) <= most;
  }
  void add(std::size_t member, const Planned& planned) {
    members.push_back(member);
    plans.push_back(&planned.plan);
    in_prometheus2.push_back(&planned.in_prometheus2);
    present.add(planned.plan.present);
    past.add(planned.plan.past);
    all.add(planned.plan.present);
    all.add(planned.plan.past);
    if (planned.plan.window == 0) return;
    narrowest = window == 0 ? planned.plan.window : std::min(narrowest, planned.plan.window);
    window = std::max(window, planned.plan.window);
  }
};

}  // namespace fairway::risk
