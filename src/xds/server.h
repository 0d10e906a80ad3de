// SPDX-License-Identifier: Apache-2.0

// An xDS server: Envoys connect, and are given resources by delta discovery on one stream (gRPC ADS).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "xds/envoy_api.h"
#include "xds/report.h"
#include "xds/resource.h"

namespace fairway::xds {

/// PEM files, which are read again when they change.
struct ServerTls {
  /// The server's own certificate with its chain, and its key.
  std::string certificate_file, key_file;
  /// The CA certificates for Envoys. Envoys with other certificates are refused.
  std::string authority_file;
};

/// Options of the server. Private keys are served only to known clients: a Unix socket is accessible by this
/// user alone, and at a TCP address, also on loopback, both sides show certificates.
struct ServerOptions {
  /// A Unix socket for Envoys of this user: a file of the mode 0600 in a folder that is made 0700; empty:
  /// none. A socket file on which no process listens any more is replaced.
  std::filesystem::path socket = {};
  /// The TCP address, "127.0.0.1:18000", which requires `tls`; port 0 takes a free one; empty: none.
  std::string listen = {};
  std::optional<ServerTls> tls = std::nullopt;
  /// True if other servers may serve the same: then nothing is acknowledged before the first `set_peers`.
  bool has_others = false;
  /// Called when an Envoy connects, leaves, acknowledges or refuses, after which `acknowledgement` may have
  /// changed. Called on threads of the server, which it must not block; it may call the server.
  std::function<void()> on_change = {};
  /// Called when an Envoy refuses a response with resources of a type. On threads of the server, which it
  /// must not block.
  std::function<void(Type)> on_refusal = {};
  /// Time for which an Envoy that has left counts as one that has not acknowledged.
  std::chrono::nanoseconds lease = std::chrono::seconds(30);
  /// The clock for leases; nullptr: the machine's.
  const Clock* clock = nullptr;
};

/// The server. Safe from all threads. Until the first `set`, Envoys get no answer, and keep the configuration
/// that they have.
class DiscoveryServer {
 public:
  /// Starts a server. Errors: `unavailable` if it cannot listen, or another process serves at the socket;
  /// `invalid` if there is no address to listen on, if it would listen on TCP without TLS, or if the socket's
  /// path is longer than the kernel allows; those of reading the files and of making the folder.
  static Result<std::unique_ptr<DiscoveryServer>> start(std::shared_ptr<const EnvoyApi> api,
                                                        ServerOptions options);
  /// Ends all streams.
  ~DiscoveryServer();
  DiscoveryServer(const DiscoveryServer&) = delete;
  DiscoveryServer& operator=(const DiscoveryServer&) = delete;

  /// Replaces all resources. Only changes are sent: each resource has a version of its own, a hash. A
  /// resource that is no message of Envoy's API is not sent: the former resource of that name stays, and
  /// `acknowledgement` has the error.
  void set(const Resources& resources);

  /// Returns the answer of all connected Envoys about a resource of the last `set`, including those of other
  /// servers (`update_peer_report`). A resource that does not exist is `pending`.
  Acknowledgement acknowledgement(const ResourceName& name) const;
  /// Returns the answers of this server's own Envoys, to be passed on to other servers.
  Report report() const;
  /// Sets the names of other servers that serve the same. Nothing is acknowledged until each of them has
  /// reported. It may be called before the first `set`.
  void set_peers(std::set<std::string> servers);
  /// Sets the answers of another server's Envoys; std::nullopt: they are not known any more.
  void update_peer_report(const std::string& server, std::optional<Report> report);
  /// Returns a number that changes with each Envoy that connects or leaves: observations from before may be
  /// untrue since.
  std::uint64_t session() const;
  /// Returns the number of Envoys that are connected.
  std::size_t connected() const;
  /// Returns the number of resources of a type that are served.
  std::size_t served(Type type) const;
  /// Returns the names by which connected Envoys ask for resources of a type.
  std::set<std::string> asked_for(Type type) const;
  /// Returns the time until the next lease of an Envoy that has left expires; std::nullopt: there is no
  /// lease.
  std::optional<std::chrono::nanoseconds> next_lease_end() const;

  /// Returns the TCP address that it listens on; empty: none.
  const std::string& address() const;

 private:
  struct Implementation;
  explicit DiscoveryServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::xds
