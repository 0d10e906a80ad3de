// `status.history` of ClusterVersion: what a cluster ran, the newest first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::payload {

/// More entries are pruned.
inline constexpr std::size_t max_history = 100;

/// What is being applied, or has been.
struct HistoryRecord {
  std::string version, image;
  bool completed = false;
  bool verified = false;
  /// std::nullopt: what the entry says stays. A release that was read before, and is only applied, has no
  /// risks to tell.
  std::optional<std::string> accepted_risks;
};

/// Records where the cluster is now. The newest entry is of the same release if image and version agree, as
/// far as both are known: then it is completed. Otherwise a new one is begun, and the one before ends, as
/// Partial if it was. Nothing is recorded without an image: such an update could not be repeated. Returns
/// whether anything has changed.
bool record_history(json::Array& history, const HistoryRecord& record, WallTime now);

/// Removes the least telling entries until there are `size`. Never: the newest five, the oldest, and the last
/// completed one. Then, the most telling first: the first and the last completed one of each minor version;
/// partial ones on the way from one minor version to another; completed ones; partial ones within a minor
/// version. Of equal ones the oldest goes.
void prune_history(json::Array& history, std::size_t size = max_history);

}  // namespace fairway::payload
