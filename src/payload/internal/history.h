// SPDX-License-Identifier: Apache-2.0

// `status.history` of ClusterVersion: what a cluster ran, the newest first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::payload {

/// Largest number of entries; more are pruned.
inline constexpr std::size_t max_history = 100;

/// The release that is being applied, or has been.
struct HistoryRecord {
  std::string version, image;
  bool completed = false;
  bool verified = false;
  /// Text for `acceptedRisks`. std::nullopt: the entry keeps its text, as a release that was read before, and
  /// is only applied, has no new risks.
  std::optional<std::string> accepted_risks;
};

/// Records the release that the cluster is at. If the newest entry is of the same release (image and version
/// agree as far as both are known), it gets what it lacks. Otherwise a new entry begins, and the one before
/// ends; a Partial one stays Partial. Nothing is recorded without an image: such an update could not be
/// repeated. Returns whether anything has changed.
bool record_history(json::Array& history, const HistoryRecord& record, WallTime now);

/// Removes the entries with the lowest rank until there are `size`. Never removed are the newest five, the
/// oldest, and the last completed one. The rank is 30 for the first and the last completed entry of each
/// minor version, 20 for partial ones between two minor versions, -20 for partial ones between two patch
/// versions, and 0 for others, less 1.01 for each newer entry.
void prune_history(json::Array& history, std::size_t size = max_history);

}  // namespace fairway::payload
