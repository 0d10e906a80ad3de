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

/// What replicas show each other; all of one CA. The names in servers' certificates are `replica_name`.
struct ReplicaCertificates {
  http::KeyedCertificate server, client;
  /// PEM: who signs both.
  std::string authorities;
  bool operator==(const ReplicaCertificates&) const = default;
};

inline constexpr const char* replica_name = "fairway-gateway-replica";

struct ReplicasOptions {
  /// Of this replica, in the election and among replicas.
  std::string identity;
  /// The election's Lease, beside which each replica has one of its own.
  k8s::Key election;
  /// Where it listens for reports of others: "0.0.0.0:18443".
  std::string listen;
  /// Where others reach it; empty: the address that it listens on, which must then be one of this machine
  /// alone, and not "any".
  std::string address = {};
  /// Those of now; asked every few seconds. An error is logged, and the ones before are used.
  std::function<Result<ReplicaCertificates>()> certificates;
  /// Called with the address, once it listens. On threads of the manager; may be empty.
  std::function<void(const std::string& address)> on_listen = {};
};

/// A replica has a Lease of its own, renewed every 10 s, by which the leader knows that there is somebody to
/// be heard, and where to send reports. What Envoys acknowledge goes to the leader straight: it costs no
/// write. docs/decisions.md, Gateway API.
class Replicas {
 public:
  Replicas(const std::shared_ptr<kube::Client>& client, ReplicasOptions options);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Adds the work to a manager that has not been run, and holds it back until the Lease of this replica
  /// stands: nobody is served by a replica that the leader does not know of. `server` outlives the run.
  void add_to(kube::Manager& manager, xds::DiscoveryServer& server);
  /// Envoys of this replica have said something (`xds::ServerOptions::on_change`). Safe from all threads.
  void report_changed();
  /// Deletes the Lease, and tells the leader that there is no Envoy here: once it has ended, and the run too.
  void leave(const Limits& limits);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::gateway
