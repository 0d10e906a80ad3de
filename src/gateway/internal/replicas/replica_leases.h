// SPDX-License-Identifier: Apache-2.0

// The replicas that are alive, by their Leases.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "k8s/lease.h"

namespace fairway::gateway {

/// The label of a replica's Lease, with the name of the election's Lease.
inline constexpr const char* replica_label = "gateway.fairway.dev/replica-of";
/// The annotation with the address at which other replicas reach this one: "10.0.0.7:18443".
inline constexpr const char* replica_address = "gateway.fairway.dev/address";
/// Time for which a replica that is not heard of any more still counts, as for an Envoy that has left.
inline constexpr std::chrono::seconds replica_lease{30};

/// Returns the Lease of a replica, renewed at `now`. Its name is that of the election and a hash of the
/// identity, which need not be a valid name.
k8s::Lease lease_of_replica(const std::string& election, const std::string& namespace_name,
                            const std::string& identity, const std::string& address, WallTime now);

/// Tracks which replicas are alive. A Lease expires once it has not changed for its duration, by the clock of
/// this process: clocks of several machines are never compared, as in leader election.
class ReplicaLeases {
 public:
  ReplicaLeases(std::string election, std::string identity)
      : election_(std::move(election)), identity_(std::move(identity)) {}

  /// Updates the state from the current Leases of the namespace.
  void update(const std::vector<std::shared_ptr<const k8s::Lease>>& leases, SteadyTime now);

  /// Returns the identities of the other replicas that are alive.
  std::set<std::string> others(SteadyTime now) const;
  struct Leader {
    std::string identity, address;
    bool operator==(const Leader&) const = default;
  };
  /// Returns the leader, if it is another replica with a known address; std::nullopt: there is none, or it is
  /// this one.
  std::optional<Leader> leader(SteadyTime now) const;
  bool is_leader() const;
  /// Returns the time at which the next Lease of another replica expires; `SteadyTime::max()`: there is none.
  SteadyTime next_end(SteadyTime now) const;
  /// Returns the names of Leases that expired so long ago that they can be deleted.
  std::set<std::string> leftovers(SteadyTime now) const;

 private:
  struct Seen {
    std::string identity, address, renewed;
    SteadyTime end;
  };
  std::string election_, identity_;
  std::string leader_;
  /// The other replicas, by the names of their Leases.
  std::map<std::string, Seen> seen_;
};

}  // namespace fairway::gateway
