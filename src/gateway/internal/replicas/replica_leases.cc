// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/replicas/replica_leases.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"

namespace fairway::gateway {

namespace {

/// Bounds for the duration of a Lease, whatever it says.
constexpr std::chrono::seconds shortest_lease{5}, longest_lease{300};
/// Time for which an expired Lease is kept: its replica may only be slow.
constexpr std::chrono::minutes kept{10};
constexpr std::size_t suffix_digits = 16;

}  // namespace

k8s::Lease lease_of_replica(const std::string& election, const std::string& namespace_name,
                            const std::string& identity, const std::string& address, WallTime now) {
  auto lease =
      k8s::make<k8s::Lease>(election + "-" + sha256_hex(identity).substr(0, suffix_digits), namespace_name);
  lease.set_label(replica_label, election);
  lease.set_annotation(replica_address, address);
  lease.set_holder(identity);
  lease.set_duration(replica_lease);
  lease.set_renew_time(now);
  return lease;
}

void ReplicaLeases::update(const std::vector<std::shared_ptr<const k8s::Lease>>& leases, SteadyTime now) {
  std::map<std::string, Seen> next;
  leader_.clear();
  for (const auto& lease : leases) {
    if (lease->name() == election_) leader_ = lease->holder();
    if (lease->label(replica_label) != election_ || lease->holder().empty() || lease->holder() == identity_)
      continue;
    const std::string name(lease->name());
    Seen seen{.identity = std::string(lease->holder()),
              .address = std::string(lease->annotation(replica_address)),
              .renewed = std::string(lease->renew_time()),
              .end = now + std::clamp(lease->duration(), shortest_lease, longest_lease)};
    if (const auto before = seen_.find(name); before != seen_.end() &&
                                              before->second.identity == seen.identity &&
                                              before->second.renewed == seen.renewed) {
      seen.end = before->second.end;
    }
    next.emplace(name, std::move(seen));
  }
  seen_ = std::move(next);
}

std::set<std::string> ReplicaLeases::others(SteadyTime now) const {
  std::set<std::string> names;
  for (const auto& [name, seen] : seen_) {
    if (now < seen.end) names.insert(seen.identity);
  }
  return names;
}

std::optional<ReplicaLeases::Leader> ReplicaLeases::leader(SteadyTime now) const {
  for (const auto& [name, seen] : seen_) {
    if (seen.identity == leader_ && now < seen.end && !seen.address.empty())
      return Leader{seen.identity, seen.address};
  }
  return std::nullopt;
}

bool ReplicaLeases::is_leader() const {
  return leader_ == identity_;
}

SteadyTime ReplicaLeases::next_end(SteadyTime now) const {
  SteadyTime first = SteadyTime::max();
  for (const auto& [name, seen] : seen_) {
    if (now < seen.end) first = std::min(first, seen.end);
  }
  return first;
}

std::set<std::string> ReplicaLeases::leftovers(SteadyTime now) const {
  std::set<std::string> names;
  for (const auto& [name, seen] : seen_) {
    if (now >= seen.end + kept) names.insert(name);
  }
  return names;
}

}  // namespace fairway::gateway
