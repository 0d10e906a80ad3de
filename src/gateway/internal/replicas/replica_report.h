// What a replica tells the leader of its Envoys, on the wire: JSON.
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
  /// The identity of who reports.
  std::string replica;
  /// Of who leads, as the replica knows it.
  std::string to;
  /// Counts the reports of a replica.
  std::uint64_t number = 0;
  /// The number of the report that this one changes; 0: it is whole.
  std::uint64_t base = 0;
  bool has_envoys = false;
  std::map<xds::ResourceName, xds::Ack> said;
  /// What is not answered any more.
  std::set<xds::ResourceName> gone;
  bool operator==(const ReplicaReport&) const = default;
};

/// What changes `before` into `now`; replica and numbers are still to be set.
ReplicaReport difference(const xds::Report& before, const xds::Report& now);
/// `before` with the changes.
xds::Report with_changes(xds::Report before, const ReplicaReport& changes);

std::string to_text(const ReplicaReport& report);
/// Errors: `invalid`, what is missing or not understood. A type that is not known is one of them: to pass
/// over it would be to say that it was not refused.
Result<ReplicaReport> read_replica_report(std::string_view text);

}  // namespace fairway::gateway
