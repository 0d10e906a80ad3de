// Which replicas there are, by their Leases.
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

/// Stands on a replica's Lease, with the name of the election's Lease.
inline constexpr const char* replica_label = "gateway.fairway.dev/replica-of";
/// Where other replicas reach this one: "10.0.0.7:18443".
inline constexpr const char* replica_address = "gateway.fairway.dev/address";
/// How long a replica that is not heard of any more counts, as an Envoy does that has left.
inline constexpr std::chrono::seconds replica_lease{30};

/// The Lease of a replica, as it is written at some time. Its name is that of the election and the identity's
/// hash: an identity may be no name.
k8s::Lease lease_of_replica(const std::string& election, const std::string& namespace_name,
                            const std::string& identity, const std::string& address, WallTime now);

/// A Lease is alive until it has not changed for its duration, by the clock of who looks: clocks of several
/// machines are never compared, as in leader election.
class ReplicaLeases {
 public:
  ReplicaLeases(std::string election, std::string identity)
      : election_(std::move(election)), identity_(std::move(identity)) {}

  /// All Leases of the namespace, as they are now.
  void update(const std::vector<std::shared_ptr<const k8s::Lease>>& leases, SteadyTime now);

  /// The identities of the other replicas that are alive.
  std::set<std::string> others(SteadyTime now) const;
  struct Leader {
    std::string identity, address;
    bool operator==(const Leader&) const = default;
  };
  /// Another replica that leads, and can be reached; std::nullopt: there is none, or it is this one.
  std::optional<Leader> leader(SteadyTime now) const;
  bool is_leader() const;
  /// When the next lease ends; `SteadyTime::max()`: there is no other.
  SteadyTime next_end(SteadyTime now) const;
  /// The names of Leases that ended so long ago that nobody needs them.
  std::set<std::string> leftovers(SteadyTime now) const;

 private:
  struct Seen {
    std::string identity, address, renewed;
    SteadyTime end;
  };
  std::string election_, identity_;
  std::string leader_;
  /// By the name of the Lease, without one's own.
  std::map<std::string, Seen> seen_;
};

}  // namespace fairway::gateway
