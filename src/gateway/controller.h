// The running controller: objects of a cluster in; Envoy's configuration and true statuses out.
#pragma once

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
  /// The addresses for Gateways that ask for none, and those of loopback and link-local ones that Gateways
  /// may ask for: "198.51.100.0/24,127.0.0.1"; empty: there are none.
  std::string addresses;
  /// A Unix socket where Envoys of this user ask for their configuration; empty: there is none.
  std::filesystem::path xds_socket = {};
  /// Where Envoys that connect by themselves ask for it: "127.0.0.1:18000", with certificates of both sides;
  /// empty: nowhere.
  std::string xds_listen = {};
  std::optional<xds::ServerTls> xds_tls = std::nullopt;
  /// Ranges of addresses, with commas between them, to which Envoys may be led although they are loopback,
  /// link-local or the like: "127.0.0.0/8". An address and port of `add_own_listener` stay refused.
  std::string endpoint_cidrs = {};
  /// How many connections Envoys have to one backend at a time: the same for all replicas, for it is in what
  /// they serve.
  std::uint32_t max_connections = default_max_connections;
  /// True if there may be other replicas, whose Envoys have to agree as well
  /// (`xds::DiscoveryServer::set_peers`).
  bool has_replicas = false;
  /// Where Envoys send spans of requests, by OTLP over HTTP: "http://127.0.0.1:4318"; empty: nowhere.
  std::string trace_endpoint = {};
  /// Of how many requests, in percent, where they say nothing of it themselves.
  double trace_sampling = 0;
  /// Called when Envoys may say something else (`xds::ServerOptions::on_change`).
  std::function<void()> on_change = {};
  /// For metrics; may be null.
  metrics::Registry* registry = nullptr;
};

/// The kinds that statuses and configuration are made of. Those of CRDs may not be there.
std::vector<k8s::ApiResource> kinds_that_matter();

/// Watches all kinds that matter, gives Envoys the configuration, and writes statuses. Every replica serves
/// Envoys, and the leader alone writes.
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
  /// Whether this replica leads, at first not: only who leads writes statuses. Safe from all threads.
  void set_leads(bool leads);
  /// Takes Ready=True back wherever it is said, before Envoy ends with this process. It returns once that has
  /// been written, at once where this replica does not lead, and when the limits expire.
  void withdraw_readiness(const Limits& limits);
  /// What serves Envoys, as long as this lives.
  xds::DiscoveryServer& xds_server() const;
  /// The TCP address of the xDS server; empty: it has none.
  const std::string& xds_address() const;
  /// Gives no Gateway a port that a process of this program listens on, and has Envoys led there from
  /// nowhere: "127.0.0.1:8081", ":8081" (all addresses of this machine). `flag` says which port it is, where
  /// a status names it. Of the same flag the last one counts. Errors: it is no such address. Safe from all
  /// threads.
  Result<void> add_own_listener(const std::string& flag, const std::string& listen);

 private:
  struct Implementation;
  explicit GatewayController(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::gateway
