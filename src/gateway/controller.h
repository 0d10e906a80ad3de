// SPDX-License-Identifier: Apache-2.0

// The running controller: objects of a cluster in; Envoy's configuration and true statuses out.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/result.h"
#include "gateway/connection_limits.h"
#include "k8s/api_resource.h"
#include "kube/controller/manager.h"
#include "xds/server.h"

namespace fairway::gateway {

struct ControllerSettings {
  /// The addresses for Gateways that ask for none, and the loopback and link-local addresses that Gateways
  /// may ask for: "198.51.100.0/24,127.0.0.1"; empty: there are none.
  std::string addresses;
  /// A Unix socket where Envoys of this user ask for their configuration; empty: there is none.
  std::filesystem::path xds_socket = {};
  /// The TCP address where other Envoys ask for it, with certificates of both sides: "127.0.0.1:18000";
  /// empty: there is none.
  std::string xds_listen = {};
  std::optional<xds::ServerTls> xds_tls = std::nullopt;
  /// Ranges of addresses, separated by commas, that Envoys may connect to although they are loopback,
  /// link-local or the like: "127.0.0.0/8". An address and port of `add_own_listener` stay refused.
  std::string endpoint_cidrs = {};
  /// Number of connections that an Envoy may have to one backend at a time. It has to be the same for all
  /// replicas, since it is part of the configuration that they serve.
  std::uint32_t max_connections = default_max_connections;
  /// Silence after which the other side of a connection, client or backend, is asked whether it is there;
  /// zero: never. It has to be the same for all replicas.
  std::chrono::seconds keepalive = default_keepalive;
  /// True if there may be other replicas, whose Envoys have to acknowledge the configuration as well
  /// (`xds::DiscoveryServer::set_peers`).
  bool has_replicas = false;
  /// The collector to which Envoys send spans of requests, by OTLP over HTTP: "http://127.0.0.1:4318"; empty:
  /// there is none.
  std::string trace_endpoint = {};
  /// Share of requests that are traced, in percent, among those without a sampling decision of their own.
  double trace_sampling = 0;
  /// Called when Envoys may have answered (`xds::ServerOptions::on_change`).
  std::function<void()> on_change = {};
  /// The registry of its metrics; nullptr: there are none.
  metrics::Registry* registry = nullptr;
};

/// Returns the kinds that statuses and configuration are made of. Those of CRDs need not be installed.
std::vector<k8s::ApiResource> kinds_that_matter();

/// Watches all kinds of `kinds_that_matter`, gives Envoys the configuration, and writes statuses. Every
/// replica serves Envoys, but only the leader writes.
class GatewayController {
 public:
  /// Starts the xDS server, which makes Envoys wait until everything has been read once. Errors: addresses or
  /// ranges cannot be read, the server cannot listen, or the program has no descriptors of Envoy's API.
  static Result<std::unique_ptr<GatewayController>> create(const ControllerSettings& settings);
  ~GatewayController();
  GatewayController(const GatewayController&) = delete;
  GatewayController& operator=(const GatewayController&) = delete;

  /// Adds the controller to a manager that has not been run, and that must not outlive this object.
  void add_to(kube::Manager& manager);
  /// Sets whether this replica leads; at first it does not. Only the leader writes statuses. Safe from all
  /// threads.
  void set_leads(bool leads);
  /// Withdraws Ready=True from all statuses, before Envoy ends with this process. Returns once that has been
  /// written, or when the limits expire; at once if this replica does not lead.
  void withdraw_readiness(const Limits& limits);
  /// Returns the server of Envoys, which lives as long as this object.
  xds::DiscoveryServer& xds_server() const;
  /// Returns the TCP address of the xDS server; empty: it has none.
  const std::string& xds_address() const;
  /// Keeps Gateways from using an address and port that a process of this program listens on, and Envoys from
  /// connecting to it: "127.0.0.1:8081", ":8081" (all addresses of this machine). Statuses name the port by
  /// `flag`; a later call with the same flag replaces the listener. Errors: it is no such address. Safe from
  /// all threads.
  Result<void> add_own_listener(const std::string& flag, const std::string& listen);

 private:
  struct Implementation;
  explicit GatewayController(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::gateway
