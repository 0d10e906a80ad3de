// Which changes of ClusterVersion's status are worth an event. No I/O.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "k8s/condition.h"
#include "openshift/cluster_version.h"

namespace fairway::operators {

/// What of a status events are about.
struct StatusDigest {
  struct Condition {
    k8s::ConditionStatus status = k8s::ConditionStatus::unknown;
    std::string reason, message;
  };
  /// Of the status, and `Recommended` of each conditional update by version.
  std::map<std::string, Condition> conditions, recommended;
  /// Versions.
  std::set<std::string> available;
  /// Of the newest entry of the history.
  std::string newest_version;
  bool newest_completed = false;
};

StatusDigest digest_of(const openshift::ClusterVersion& cluster);

struct StatusEvent {
  bool warning = false;
  std::string reason, message;
  friend bool operator==(const StatusEvent&, const StatusEvent&) = default;
};

/// At most this many updates are named one by one.
inline constexpr std::size_t max_named_updates = 10;

/// What happened between two digests. Nothing where nothing has changed: a new message alone is no event.
std::vector<StatusEvent> events_between(const StatusDigest& before, const StatusDigest& after);

}  // namespace fairway::operators
