// SPDX-License-Identifier: Apache-2.0

// The questions that one fetch of series serves.
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
#include "risk/internal/evaluators/snapshot_plan.h"

namespace fairway::risk {

/// A question that can be evaluated over fetched series, and its form for Prometheus 2.
struct Planned {
  SnapshotPlan plan;
  Question in_prometheus2;
};

/// Plans a question. std::nullopt if only the server can answer it: plain series are not enough, or take two
/// queries, one of the present and one of a range; or only one of the two dialects understands it, and the
/// server's dialect is unknown here.
std::optional<Planned> plan_of(const Question& question);

/// The metric names of one fetch.
struct Names {
  std::set<std::string, std::less<>> names;
  std::size_t bytes = 0;

  std::size_t bytes_with(const SnapshotPlan& plan) const {
    std::size_t sum = bytes;
    for (const std::string& name : plan.metrics()) sum += names.contains(name) ? 0 : name.size() + 1;
    return sum;
  }
  std::size_t count_with(const SnapshotPlan& plan) const {
    return names.size() + static_cast<std::size_t>(std::ranges::count_if(
                              plan.metrics(), [&](const auto& name) { return !names.contains(name); }));
  }
  void add(const SnapshotPlan& plan) {
    bytes = bytes_with(plan);
    names.insert(plan.metrics().begin(), plan.metrics().end());
  }
};

/// Maximum ratio of windows in a fetch. All its series come with the widest window of its questions;
/// questions with much smaller windows wait for a fetch of their own.
inline constexpr promql::Nanoseconds most_times_wider = 12;

/// Questions that are answered by the same fetch: of the present, or of ranges.
struct Batch {
  std::vector<std::size_t> members;  ///< indices into the questions of the slot
  std::vector<const SnapshotPlan*> plans;
  std::vector<const Question*> in_prometheus2;
  Names metrics;
  promql::Nanoseconds window = 0, narrowest = 0;  ///< windows of ranges; 0: the fetch is of the present
  std::size_t most_names = std::numeric_limits<std::size_t>::max();

  /// Returns whether a plan adds no metrics, or so few that the fetch stays within the limit.
  bool has_names_for(const SnapshotPlan& plan, std::size_t most) const {
    const std::size_t count = metrics.count_with(plan);
    return count == metrics.names.size() || count <= std::min(most, most_names);
  }
  bool has_bytes_for(const SnapshotPlan& plan, std::size_t most) const {
    return members.empty() || metrics.bytes_with(plan) <= most;
  }
  bool has_window_for(const SnapshotPlan& plan) const {
    return members.empty() ||
           std::max(plan.window, window) / most_times_wider <= std::min(plan.window, narrowest);
  }
  void add(std::size_t member, const Planned& planned) {
    narrowest = members.empty() ? planned.plan.window : std::min(narrowest, planned.plan.window);
    window = std::max(window, planned.plan.window);
    members.push_back(member);
    plans.push_back(&planned.plan);
    in_prometheus2.push_back(&planned.in_prometheus2);
    metrics.add(planned.plan);
  }
};

}  // namespace fairway::risk
