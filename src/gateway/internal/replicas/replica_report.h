// SPDX-License-Identifier: Apache-2.0

// The report of a replica on its Envoys, which the leader gets as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "xds/report.h"

namespace fairway::gateway {

/// A report, as the difference to the one before.
struct ReplicaReport {
  /// Identity of the replica that reports.
  std::string replica;
  /// Identity of the leader, as the replica knows it.
  std::string to;
  /// Number of the report, counted by its replica from 1.
  std::uint64_t number = 0;
  /// Number of the report that this one is based on; 0: it is complete by itself.
  std::uint64_t base = 0;
  bool has_envoys = false;
  std::map<xds::ResourceName, xds::Ack> said;
  /// Resources on which there is no answer any more.
  std::set<xds::ResourceName> gone;
  bool operator==(const ReplicaReport&) const = default;
};

/// Returns the difference from `before` to `now`. Replica, leader and numbers are not set.
ReplicaReport difference(const xds::Report& before, const xds::Report& now);
/// Returns `before` with the changes applied.
xds::Report with_changes(xds::Report before, const ReplicaReport& changes);

std::string to_text(const ReplicaReport& report);
/// Reads a report. Errors: `invalid`, a member is missing or not understood. An unknown type is such an
/// error: if it were skipped, its resources would count as not refused.
Result<ReplicaReport> read_replica_report(std::string_view text);

}  // namespace fairway::gateway
