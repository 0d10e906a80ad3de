// Asking an update service over HTTP: the update graph of a channel, and the list of channels. What comes
// back are bytes; upstream/read.h understands them.
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

#include "base/result.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::upstream {

struct Options {
  std::vector<std::string> ca_files;  ///< PEM files of CAs that are trusted beside the system's
  /// For one request with its redirects. A service that answers with what it has made before needs no longer.
  std::chrono::seconds deadline{60};
  std::size_t max_body_bytes = std::size_t{64} << 20;  ///< of a body, before and after decompression
};

/// Which graph is asked for.
struct GraphQuery {
  std::string channel;
  std::string arch;  ///< "" leaves it to the service: amd64
  /// Other parameters that clusters send, such as {"version", "4.16.3"} and {"id", "..."}, not yet encoded.
  std::vector<std::pair<std::string, std::string>> others = {};
};

/// The body of an answer, as bytes.
struct Body {
  std::string source;  ///< the URL that was asked, without credentials
  std::string text;
  std::string etag;  ///< "" where the service gave none
};

/// One update service. Safe from all threads; connections are kept between requests.
class UpdateService {
 public:
  /// `graph_url` is where it serves graphs (https://HOST/api/upgrades_info/graph). Credentials in it are sent
  /// as Basic ones to its own origin alone, and show nowhere; its query stays part of every request for a
  /// graph. Errors: `invalid` (no http or https URL), a CA file that cannot be read.
  static Result<UpdateService> create(std::string_view graph_url, const Options& options = {});

  /// The URL of a query, without credentials. A parameter that the service's URL has already with this value
  /// is not added again.
  std::string name(const GraphQuery& query) const;

  /// The graph as the service serves it now; nothing where `etag` (of a body that the caller has) says that
  /// it is still that one. Errors name the URL: those of http::Client::send and http::refused, `unsupported`
  /// (an encoding that was not asked for), `invalid` (broken gzip).
  Result<std::optional<Body>> fetch_graph(const GraphQuery& query, std::string_view etag = {},
                                          const std::stop_token& stop = {}) const;
  /// The list of channels, in the same way. An Error (`invalid`) too where the service's URL does not end in
  /// "/graph": beside it is where "channels" lies (the channel-list API of enhancement channel-metadata).
  Result<std::optional<Body>> fetch_channels(std::string_view etag = {},
                                             const std::stop_token& stop = {}) const;

 private:
  UpdateService(http::Access access, Options options, std::unique_ptr<http::Client> client);
  http::Url graph_url(const GraphQuery& query) const;
  Result<std::optional<Body>> fetch(const http::Url& url, std::string_view accept, std::string_view etag,
                                    const std::stop_token& stop) const;

  http::Access access_;
  Options options_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace fairway::upstream
