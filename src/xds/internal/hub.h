// SPDX-License-Identifier: Apache-2.0

// The hub of the server: the resources that it serves, and its clients. All of the server but its streams.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "xds/envoy_api.h"
#include "xds/internal/delta_stream.h"
#include "xds/internal/encoder.h"
#include "xds/internal/refused_parts.h"
#include "xds/internal/snapshot.h"
#include "xds/report.h"
#include "xds/server.h"

namespace fairway::xds {

/// A client's stream, as the hub sees it. Its members belong to the hub, and are used under the hub's lock.
class Client {
 public:
  explicit Client(DeltaStream stream) : discovery(std::move(stream)) {}
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Sends the pending responses: resources or subscriptions have changed. Called under the hub's lock.
  virtual void pump(const Snapshot& snapshot) = 0;
  /// Ends the stream. Called under the hub's lock.
  virtual void close() = 0;

  DeltaStream discovery;
  /// Its node ID; empty until it has sent it.
  std::string node;
};

class Hub {
 public:
  Hub(std::shared_ptr<const EnvoyApi> api, ServerOptions options);

  void set(const Resources& resources);
  Acknowledgement acknowledgement(const ResourceName& name) const;
  Report report() const;
  void set_peers(std::set<std::string> servers);
  void update_peer_report(const std::string& server, std::optional<Report> report);
  std::uint64_t session() const;
  std::size_t connected() const;
  std::size_t served(Type type) const;
  std::set<std::string> asked_for(Type type) const;
  std::optional<std::chrono::nanoseconds> next_lease_end() const;

  /// Makes the stream of a client that is about to join.
  DeltaStream new_stream();
  void joined(Client& client);
  void left(Client& client);
  /// Handles a request of a client, given by its bytes. Errors end the stream.
  Result<void> received(Client& client, std::string_view bytes);
  /// Runs `under_lock` under the lock, and then lets the client send again.
  void ready(Client& client, const std::function<void()>& under_lock);

  const EnvoyApi& api() const { return *api_; }
  std::mutex& mutex() const { return mutex_; }
  /// Ends the streams of all clients, and of those to come.
  void close();

 private:
  const Clock& clock() const { return options_.clock != nullptr ? *options_.clock : Clock::system(); }
  void expire() const;
  /// Returns the answer of the Envoys that are connected here; `unconnected` if there is none. Under the
  /// lock.
  Acknowledgement acknowledgement_here(const ResourceName& name) const;
  /// Adds the parts of a resource that an Envoy refuses.
  static void add_parts(const std::vector<RefusedPart>& parts, Acknowledgement& all);
  /// Adds the answer of another server's Envoys. Under the lock.
  void add_heard(const ResourceName& name, const Report& report, Acknowledgement& all) const;

  const std::shared_ptr<const EnvoyApi> api_;
  const ServerOptions options_;
  /// Used only by the thread that calls `set`.
  Encoder encoder_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  /// Reasons why resources are no messages of Envoy's API.
  std::map<ResourceName, std::string> invalid_;
  std::set<Client*> clients_;
  /// The parts of resources that Envoys have refused.
  const std::shared_ptr<RefusedParts> refused_parts_ = std::make_shared<RefusedParts>();
  /// Makes the salts of streams unique across hubs: the time at which this one has begun, and the number of
  /// the stream.
  const WallTime begun_;
  std::uint64_t streams_ = 0;
  bool is_closed_ = false;
  std::uint64_t session_ = 0;
  /// Ends of the leases of Envoys that have left, by node.
  mutable std::map<std::string, SteadyTime, std::less<>> leases_;
  /// The other servers that have to report, std::nullopt: they are not known; and the reports of servers.
  std::optional<std::set<std::string>> expected_;
  std::map<std::string, Report> heard_;
};

}  // namespace fairway::xds
