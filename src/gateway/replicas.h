// SPDX-License-Identifier: Apache-2.0

// Replicas of the gateway controller: each serves Envoys, and tells the leader what they say.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "http/certificate.h"
#include "kube/client/client.h"
#include "kube/controller/manager.h"
#include "xds/server.h"

namespace fairway::gateway {

/// The certificates that replicas show each other, all issued by one CA. Servers' certificates are for the
/// name `replica_name`.
struct ReplicaCertificates {
  http::KeyedCertificate server, client;
  /// The CA certificates that both sides trust, in PEM.
  std::string authorities;
  bool operator==(const ReplicaCertificates&) const = default;
};

inline constexpr const char* replica_name = "fairway-gateway-replica";

struct ReplicasOptions {
  /// The name of this replica in the election and among replicas.
  std::string identity;
  /// The election's Lease, beside which each replica has one of its own.
  k8s::Key election;
  /// The address where it listens for reports of others: "0.0.0.0:18443".
  std::string listen;
  /// The address at which others reach it; empty: the address that it listens on, which must then be one of
  /// this machine alone, and not "any".
  std::string address = {};
  /// Returns the current certificates; called every few seconds. An error is logged, and the certificates
  /// before stay in use.
  std::function<Result<ReplicaCertificates>()> certificates;
  /// Called with the address once it listens, on threads of the manager; may be empty.
  std::function<void(const std::string& address)> on_listen = {};
};

/// Connects the replicas: each has a Lease of its own, renewed every 10 s, from which the leader knows which
/// replicas exist, and replicas know where to send their reports. The answers of Envoys go to the leader
/// directly, which costs no write to the API server. docs/decisions-gateway.md.
class Replicas {
 public:
  Replicas(const std::shared_ptr<kube::Client>& client, ReplicasOptions options);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Adds the work to a manager that has not been run, and keeps the manager from starting until the Lease of
  /// this replica is written: a replica that the leader does not know of serves nobody. `server` outlives the
  /// run.
  void add_to(kube::Manager& manager, xds::DiscoveryServer& server);
  /// Reports that Envoys of this replica have answered (`xds::ServerOptions::on_change`). Safe from all
  /// threads.
  void report_changed();
  /// Deletes the Lease, and tells the leader that there is no Envoy here. Call it once the Envoy and the
  /// manager's run have ended.
  void leave(const Limits& limits);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::gateway
