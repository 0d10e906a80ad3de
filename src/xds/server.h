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
  /// Who signs the certificates of Envoys: others are not let in.
  std::string authority_file;
};

/// Who serves private keys has to know whom: a Unix socket is this user's alone, and at a TCP address, also
/// on loopback, both sides show certificates.
struct ServerOptions {
  /// A Unix socket for Envoys of this user: a file of the mode 0600 in a folder that is made 0700; empty:
  /// none. A socket file that nobody listens on any more is replaced.
  std::filesystem::path socket = {};
  /// "127.0.0.1:18000", with `tls`; port 0 takes a free one; empty: none.
  std::string listen = {};
  std::optional<ServerTls> tls = std::nullopt;
  /// True if other servers may serve the same: then nothing is agreed before the first `set_peers`.
  bool has_others = false;
  /// Called when an Envoy connects, leaves, acknowledges or refuses: `agreement` may then say something else.
  /// On threads of the server, which it must not block; it may call the server.
  std::function<void()> on_change = {};
  /// Called when an Envoy refuses a response with resources of a type. On threads of the server, which it
  /// must not block.
  std::function<void(Type)> on_refusal = {};
  /// How long an Envoy that has left counts as one that does not agree.
  std::chrono::nanoseconds lease = std::chrono::seconds(30);
  /// For leases; null: the machine's.
  const Clock* clock = nullptr;
};

/// Safe from all threads. Until the first `set` Envoys are kept waiting, and keep what they have.
class DiscoveryServer {
 public:
  /// Errors: `unavailable` where it cannot listen, or another process serves at the socket; `invalid` where
  /// nothing says where to listen, where it would listen on TCP without TLS, and where the socket's path is
  /// longer than a socket's may be; those of reading the files and of the folder.
  static Result<std::unique_ptr<DiscoveryServer>> start(std::shared_ptr<const EnvoyApi> api,
                                                        ServerOptions options);
  /// Ends all streams.
  ~DiscoveryServer();
  DiscoveryServer(const DiscoveryServer&) = delete;
  DiscoveryServer& operator=(const DiscoveryServer&) = delete;

  /// Replaces all that is served. Sent is what has changed: each resource has a version of its own, a hash.
  /// A resource that is no message of Envoy's API is not sent: what was served by its name stays, and
  /// `agreement` has the error.
  void set(const Resources& resources);

  /// What all connected Envoys say about a resource of the last `set`, those of other servers too
  /// (`update_peer_report`). A resource that there is not is `pending`.
  Agreement agreement(const ResourceName& name) const;
  /// What the Envoys of this server alone say, for others to hear.
  Report report() const;
  /// The names of other servers that serve the same: until one is heard, nothing is agreed. It may be called
  /// before the first `set`.
  void set_peers(std::set<std::string> servers);
  /// What another server's Envoys say; std::nullopt: nobody knows any more.
  void update_peer_report(const std::string& server, std::optional<Report> report);
  /// Another number after each Envoy that has connected or left: what was seen before may be untrue since.
  std::uint64_t session() const;
  /// How many Envoys are connected.
  std::size_t connected() const;
  /// How many resources of a type are served.
  std::size_t served(Type type) const;
  /// The names by which Envoys that are connected ask for resources of a type.
  std::set<std::string> asked_for(Type type) const;
  /// How long until the next lease of an Envoy that has left ends; std::nullopt: all are here.
  std::optional<std::chrono::nanoseconds> next_lease_end() const;

  /// The TCP address that it listens on; empty: none.
  const std::string& address() const;

 private:
  struct Implementation;
  explicit DiscoveryServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::xds
