// SPDX-License-Identifier: Apache-2.0

// The update service: refreshes sources periodically, publishes and stores the result, and serves two
// ports.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/server.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Settings that a reload applies, beside those of the sources (MakeBuilder); all others need a restart.
struct ReloadableOptions {
  std::chrono::nanoseconds interval{std::chrono::minutes(5)};  ///< time between two refreshes of all sources
  std::string private_channels_file;                           ///< empty: every channel is public
  bool private_channels_strict = false;                        ///< true if a rule that matches no channel is
                                                               ///< an error
  std::string channel_descriptions_file;                       ///< empty: only graph data describes channels
};

/// The other replicas of the service. A replica that has nothing to compare with asks them for their builds.
struct PeerOptions {
  std::vector<std::string> peers;  ///< HOST:PORT; a name stands for all its addresses; empty: none are asked
  std::string listen;              ///< address of the port for other replicas; empty: they are not answered
  std::string token_file;          ///< file of the secret that all replicas share; needed for both
  bool first_start = false;        ///< true to serve the sources' data if no replica has a graph
  std::chrono::milliseconds answer_limit{30'000};  ///< time to look a name up, and to get one answer
  std::chrono::milliseconds pause{5'000};          ///< time before replicas are asked again
};

/// The setting of /console: `automatic` has it on a listener on loopback, as long as there are no rules for
/// private channels, and no `public_host` says that others come by a proxy.
enum class ConsoleSetting { automatic, on, off };

struct ServiceOptions {
  http::ServerOptions server;  ///< the public port: address, TLS, limits
  std::string status_listen;   ///< address of the status port
  std::string path_prefix = "/api/upgrades_info";
  std::string data_directory;  ///< folder of the last good graph; empty: not stored
  ReloadableOptions reloadable;
  bool show_sources = false;         ///< true to name the sources to callers without credentials, too
  std::string signatures_directory;  ///< empty: signatures come from graph data
  std::string problem_url = graph::not_understood_url;
  PeerOptions peers;
  Guards guards;                                  ///< guards for functions that make builders
  std::chrono::seconds max_age{60};               ///< max-age of a graph in caches
  std::chrono::milliseconds drain_limit{25'000};  ///< time for requests in flight at shutdown
  /// Text of all other settings that affect the build (the flags of the sources): a stored graph with
  /// different settings is not served.
  std::string settings;
  std::string version;
  std::size_t updates_at_once = 2;  ///< requests for /updates that are answered at a time; others get 429
  ConsoleSetting console = ConsoleSetting::automatic;
  /// Names, without a port, that people reach the service by: /console answers to these, to addresses and to
  /// localhost.
  std::vector<std::string> console_hosts;
  std::string public_host;  ///< the host of --public-url; empty: none
};

/// Creates the builder with its sources: at the start and at every reload.
using MakeBuilder = std::function<Result<std::unique_ptr<Builder>>()>;

class Service {
 public:
  /// Reads the rules for private channels (an invalid file is an error, and nothing is served), loads the
  /// last good graph, and starts listening and building. Returns before the first build is complete: see
  /// /readyz.
  static Result<std::unique_ptr<Service>> start(const ServiceOptions& options, MakeBuilder make_builder,
                                                Clock& clock = Clock::system());
  /// Stops without waiting for requests, unless `stop` was called.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::string address() const;
  std::string status_address() const;
  /// Returns the address of the port for other replicas; "" without PeerOptions::listen.
  std::string peer_address() const;

  /// Reloads rules, descriptions, certificates and sources. If any of them is invalid, its old state is kept
  /// and an error is logged. Returns immediately.
  void reload();
  /// Reloads with other settings, of which those of ReloadableOptions are applied. `settings` is an Error if
  /// they could not be read: that is logged and reported in /problems, and the old ones stay.
  void reload(const Result<ReloadableOptions>& settings);
  /// Becomes not ready, stops accepting, finishes requests in flight, and stores the graph if it is not
  /// stored yet.
  void stop();
  /// Waits until `count` refreshes (of all sources, or of graph data only) have completed since the start;
  /// false if `limit` passed before.
  bool wait_for_refreshes(std::size_t count, std::chrono::milliseconds limit) const;

 private:
  struct Implementation;
  explicit Service(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::updateservice
