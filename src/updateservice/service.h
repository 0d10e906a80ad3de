// The running update service: sources are asked again and again, what comes out is published and kept, two
// ports serve.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/server.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

struct ServiceOptions {
  http::ServerOptions server;  ///< the public port: address, TLS, limits
  std::string status_listen;   ///< address of the status port
  std::string path_prefix = "/api/upgrades_info";
  std::string data_directory;  ///< where the last good graph is kept; empty: nowhere
  std::chrono::nanoseconds interval{std::chrono::minutes(5)};  ///< between two looks at all sources
  std::string private_channels_file;                           ///< empty: every channel is public
  std::string channel_descriptions_file;                       ///< empty: only graph data describes channels
  std::string signatures_directory;                            ///< empty: signatures come from graph data
  std::string problem_url = graph::not_understood_url;
  std::chrono::seconds max_age{60};               ///< how long caches may keep a graph
  std::chrono::milliseconds drain_limit{25'000};  ///< for requests under way when the service stops
  /// Whatever else decides what is built (the flags of the sources): the last good graph of other settings is
  /// not served.
  std::string settings;
  std::string version;
};

/// Makes the builder with its sources: at the start, and again at every reload.
using MakeBuilder = std::function<Result<std::unique_ptr<Builder>>()>;

class Service {
 public:
  /// Reads the rules for private channels (a broken file is an error: nothing is served then), takes up the
  /// last good graph, and begins to listen and to build. Returns before the first build has ended: see
  /// /readyz.
  static Result<std::unique_ptr<Service>> start(const ServiceOptions& options, MakeBuilder make_builder,
                                                Clock& clock = Clock::system());
  /// Stops without waiting for requests, if `stop` was not called.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::string address() const;
  std::string status_address() const;

  /// Reads everything again: rules, descriptions, certificates, sources. What is broken keeps its old state
  /// and is logged. Returns at once.
  void reload();
  /// Not ready any more, accepts no more, finishes what is under way, keeps what is not yet kept.
  void stop();
  /// Waits until `count` refreshes (of all sources, or of graph data alone) have ended since the start; false
  /// when `limit` passed before.
  bool wait_for_refreshes(std::size_t count, std::chrono::milliseconds limit) const;

 private:
  struct Implementation;
  explicit Service(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::updateservice
