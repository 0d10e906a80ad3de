// SPDX-License-Identifier: Apache-2.0

// The changes of ClusterVersion's status that are worth an event. No I/O.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "k8s/condition.h"
#include "openshift/cluster_version.h"

namespace fairway::operators {

/// The parts of a status that events are about.
struct StatusDigest {
  struct Condition {
    k8s::ConditionStatus status = k8s::ConditionStatus::unknown;
    std::string reason, message;
  };
  /// Conditions of the status by type, and `Recommended` of each conditional update by version.
  std::map<std::string, Condition> conditions, recommended;
  /// Versions of the available updates.
  std::set<std::string> available;
  /// Version of the newest entry of the history.
  std::string newest_version;
  bool newest_completed = false;
};

StatusDigest digest_of(const openshift::ClusterVersion& cluster);

struct StatusEvent {
  bool warning = false;
  std::string reason, message;
  friend bool operator==(const StatusEvent&, const StatusEvent&) = default;
};

/// Largest number of updates that get an event each.
inline constexpr std::size_t max_named_updates = 10;

/// Returns the events for the change between two digests. Empty if nothing has changed: a new message alone
/// is no event.
std::vector<StatusEvent> events_between(const StatusDigest& before, const StatusDigest& after);

}  // namespace fairway::operators
