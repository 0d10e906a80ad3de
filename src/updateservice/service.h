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

/// Settings that a reload takes up, beside those of the sources (MakeBuilder); all others need a restart.
struct ReloadableOptions {
  std::chrono::nanoseconds interval{std::chrono::minutes(5)};  ///< between two refreshes of all sources
  std::string private_channels_file;                           ///< empty: every channel is public
  bool private_channels_strict = false;                        ///< a rule that matches no channel is an error
  std::string channel_descriptions_file;                       ///< empty: only graph data describes channels
};

/// The other replicas of the service. A replica that has nothing to compare with asks them what they hold.
struct PeerOptions {
  std::vector<std::string> peers;  ///< HOST:PORT; a name stands for all its addresses; empty: none are asked
  std::string listen;              ///< where they are answered; empty: they are not
  std::string token_file;          ///< a secret that all replicas have; needed for both
  bool first_start = false;        ///< serve what the sources say where no replica has a graph
  std::chrono::milliseconds answer_limit{30'000};  ///< for looking a name up, and for one answer
  std::chrono::milliseconds pause{5'000};          ///< before replicas are asked again
};

struct ServiceOptions {
  http::ServerOptions server;  ///< the public port: address, TLS, limits
  std::string status_listen;   ///< address of the status port
  std::string path_prefix = "/api/upgrades_info";
  std::string data_directory;  ///< for the last good graph; empty: not stored
  ReloadableOptions reloadable;
  bool show_sources = false;         ///< to callers without credentials, too
  std::string signatures_directory;  ///< empty: signatures come from graph data
  std::string problem_url = graph::not_understood_url;
  PeerOptions peers;
  Guards guards;                                  ///< for those who make builders
  std::chrono::seconds max_age{60};               ///< max-age of a graph in caches
  std::chrono::milliseconds drain_limit{25'000};  ///< for requests in flight at shutdown
  /// A text of all other settings that affect the build (the flags of the sources): a stored graph with
  /// different settings is not served.
  std::string settings;
  std::string version;
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
  /// "" without PeerOptions::listen.
  std::string peer_address() const;

  /// Reloads rules, descriptions, certificates and sources. For invalid ones the old state is kept and an
  /// error is logged. Returns immediately.
  void reload();
  /// The same with other settings, of which those that ReloadableOptions names are taken up. `settings` is an
  /// Error where they could not be read: that is logged and told in /problems, and the old ones stay.
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
