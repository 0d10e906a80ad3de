// What is served, and to whom: all of the server but its streams.
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

/// A client's stream, as the hub knows it. Its members are the hub's: they are used under its lock.
class Client {
 public:
  explicit Client(DeltaStream stream) : discovery(std::move(stream)) {}
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  /// Sends what there is to send: resources or subscriptions have changed. Called under the hub's lock.
  virtual void pump(const Snapshot& snapshot) = 0;
  /// Ends the stream. Called under the hub's lock.
  virtual void close() = 0;

  DeltaStream discovery;
  /// Its name, once it has given it.
  std::string node;
};

class Hub {
 public:
  Hub(std::shared_ptr<const EnvoyApi> api, ServerOptions options);

  void set(const Resources& resources);
  Agreement agreement(const ResourceName& name) const;
  Report report() const;
  void set_peers(std::set<std::string> servers);
  void update_peer_report(const std::string& server, std::optional<Report> report);
  std::uint64_t session() const;
  std::size_t connected() const;
  std::size_t served(Type type) const;
  std::set<std::string> asked_for(Type type) const;
  std::optional<std::chrono::nanoseconds> next_lease_end() const;

  /// For a client that is about to join.
  DeltaStream new_stream();
  void joined(Client& client);
  void left(Client& client);
  /// A request of a client: its bytes. Errors end the stream.
  Result<void> received(Client& client, std::string_view bytes);
  /// The client may send again.
  void ready(Client& client, const std::function<void()>& under_lock);

  const EnvoyApi& api() const { return *api_; }
  std::mutex& mutex() const { return mutex_; }
  /// Ends the streams of all clients, and of those to come.
  void close();

 private:
  const Clock& clock() const { return options_.clock != nullptr ? *options_.clock : Clock::system(); }
  void expire() const;
  /// What the Envoys that are connected here say; `unconnected` where there is none. Under the lock.
  Agreement agreement_here(const ResourceName& name) const;
  /// Adds what an Envoy refuses of a resource.
  static void add_parts(const std::vector<RefusedPart>& parts, Agreement& all);
  /// Adds what another server's Envoys say. Under the lock.
  void add_heard(const ResourceName& name, const Report& report, Agreement& all) const;

  const std::shared_ptr<const EnvoyApi> api_;
  const ServerOptions options_;
  /// Of the thread that sets.
  Encoder encoder_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  /// Why a resource is no message.
  std::map<ResourceName, std::string> invalid_;
  std::set<Client*> clients_;
  /// What Envoys have refused below a resource.
  const std::shared_ptr<RefusedParts> refused_parts_ = std::make_shared<RefusedParts>();
  /// Tells the streams of all hubs apart: when this one has begun, and a number.
  const WallTime begun_;
  std::uint64_t streams_ = 0;
  bool is_closed_ = false;
  std::uint64_t session_ = 0;
  /// When the leases of those end that have left, by node.
  mutable std::map<std::string, SteadyTime, std::less<>> leases_;
  /// The other servers that are to be heard, std::nullopt: nobody knows; and what was heard of them.
  std::optional<std::set<std::string>> expected_;
  std::map<std::string, Report> heard_;
};

}  // namespace fairway::xds
