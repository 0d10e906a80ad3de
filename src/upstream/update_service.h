// SPDX-License-Identifier: Apache-2.0

// The client of an update service: fetches the update graph of a channel, and the list of channels, as bytes;
// upstream/read.h parses them.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::upstream {

struct Options {
  std::vector<std::string> ca_files = {};  ///< PEM files of CAs trusted in addition to the system's
  /// Time for one request with its redirects. Enough for services that serve prebuilt graphs.
  std::chrono::seconds deadline{60};
  std::size_t max_body_bytes = std::size_t{64} << 20;  ///< largest body, before and after decompression
  const Clock* clock = &Clock::system();               ///< clock of the deadline; must outlive the service
  std::string user_agent = "fairway";
  /// The value of Authorization for the service's own origin, where its URL has no credentials; a secret.
  std::string authorization = {};
  /// The values of Accept.
  std::string graph_types = "application/vnd.redhat.cincinnati.v1+json, application/json;q=0.9";
  std::string channel_types = "application/vnd.redhat.cincinnati.channels.v1+json, application/json;q=0.9";
};

/// The graph to fetch.
struct GraphQuery {
  std::string channel = {};
  std::string arch = {};  ///< "": the service's default, amd64
  /// Other parameters that clusters send, such as {"version", "4.16.3"} and {"id", "..."}, not yet encoded.
  std::vector<std::pair<std::string, std::string>> others = {};
};

/// The body of a reply.
struct Body {
  std::string source = {};  ///< the URL of the request, without credentials
  std::string text = {};
  std::string etag = {};  ///< "" if there is none
};

/// The reply of a service, whatever the status.
struct ServiceReply {
  int status = 0;
  std::string phrase = {};  ///< reason phrase of the status; may be empty
  Body body = {};           ///< body of status 200; of others its `source` alone
};

/// One update service. Safe from all threads; connections are reused.
class UpdateService {
 public:
  /// Makes a service that serves graphs at `graph_url` (https://HOST/api/upgrades_info/graph). Credentials in
  /// it are sent (Basic) to its own origin only, and never logged; its query is part of every request for a
  /// graph. Errors: `invalid` (not an http or https URL), a CA file that cannot be read.
  static Result<UpdateService> create(std::string_view graph_url, const Options& options = {});

  /// Returns the URL of a query, without credentials. A parameter that the service's URL already has with
  /// this value is not repeated.
  std::string name(const GraphQuery& query) const;

  /// Fetches the current graph; std::nullopt if it still has `etag` (304). Errors name the URL: those of
  /// http::Client::send and http::refused, `unsupported` (an encoding that was not requested), `invalid`
  /// (corrupt gzip).
  Result<std::optional<Body>> fetch_graph(const GraphQuery& query, std::string_view etag = {},
                                          const std::stop_token& stop = {}) const;
  /// Fetches the list of channels, in the same way. Also an Error (`invalid`) if the service's URL does not
  /// end in "/graph", which is replaced by "/channels" (channel-metadata of docs/api.md, section Channel-list
  /// API).
  Result<std::optional<Body>> fetch_channels(std::string_view etag = {},
                                             const std::stop_token& stop = {}) const;

  /// Fetches a graph like `fetch_graph`, for callers that need the status: 304 and all others are replies,
  /// not errors.
  Result<ServiceReply> ask_graph(const GraphQuery& query, std::string_view etag = {},
                                 const std::stop_token& stop = {}) const;
  /// Fetches the list of channels in the same way, at the path of the service's URL up to
  /// "/api/upgrades_info", followed by "/channels"; without such a path, its last segment is replaced.
  Result<ServiceReply> ask_channels(std::string_view etag = {}, const std::stop_token& stop = {}) const;

 private:
  UpdateService(http::Access access, Options options, std::unique_ptr<http::Client> client);
  http::Url graph_url(const GraphQuery& query) const;
  http::Call call_of(const http::Url& url, std::string_view accept, std::string_view etag,
                     const std::stop_token& stop) const;
  Result<Body> body_of(const http::Url& url, http::Reply& reply) const;
  Result<std::optional<Body>> fetch(const http::Url& url, std::string_view accept, std::string_view etag,
                                    const std::stop_token& stop) const;
  Result<ServiceReply> ask(const http::Url& url, std::string_view accept, std::string_view etag,
                           const std::stop_token& stop) const;

  http::Access access_;
  Options options_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace fairway::upstream
