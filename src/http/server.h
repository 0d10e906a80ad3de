// The HTTP/1.1 server. Immediate handlers run on the I/O thread and must not block; blocking ones run in a
// bounded pool.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "http/message.h"

namespace fairway::http {

using Handler = std::function<Response(const Request&)>;

/// Which handler answers which path. Built before the server starts, fixed afterwards.
class Router {
 public:
  /// `path` is exact, or a prefix where it ends with "/". The longest match wins. `methods` is a
  /// space-separated list, e.g. "GET HEAD"; HEAD runs the same handler and the server leaves the body out.
  /// Another method gets 405 with Allow; OPTIONS is answered by `options`, or with 204 and Allow.
  Router& immediate(std::string path, std::string methods, Handler handler);
  Router& blocking(std::string path, std::string methods, Handler handler);
  /// Answers paths that nothing else matches (immediate). The default is a plain 404.
  Router& fallback(Handler handler);
  /// Answers OPTIONS on known paths (immediate); `allow` is the Allow value.
  Router& options(std::function<Response(const Request&, std::string_view allow)> handler);
  /// Makes the reply for requests the server itself refuses (400, 405, 408, 413, 414, 431, 500, 503): status
  /// and a sentence in, response out. The default is plain text.
  Router& refusal(std::function<Response(int status, std::string_view why)> handler);

 private:
  friend class Server;
  friend struct RouterAccess;
  struct Implementation;
  std::shared_ptr<Implementation> implementation_;

 public:
  Router();
};

/// A TLS server context: certificate chain, key and the CAs of clients; swaps at run time.
struct TlsServerOptions {
  std::string certificate_file;  ///< PEM chain
  std::string key_file;          ///< PEM
  /// The same as PEM texts, instead of files: the first ones that are served, until
  /// `Server::use_certificate`.
  std::string certificate, key;
  std::string client_ca_file;  ///< CAs for client certificates; empty: none are asked for
  bool require_client_certificate = false;
  /// Look at the files this often and load them again when they change; 0: only `reload_tls`.
  std::chrono::seconds reload_every{10};
};

struct ServerOptions {
  /// "127.0.0.1:8080", "[::1]:0" (port 0: any free one), ":8080" (all addresses).
  std::string listen;
  std::optional<TlsServerOptions> tls;
  int io_threads = 0;                        ///< 0: one a core
  int blocking_threads = 8;                  ///< the pool of blocking handlers
  std::size_t blocking_queue = 1024;         ///< requests that wait for it; beyond it: 503 with Retry-After
  std::size_t max_header_bytes = 16 * 1024;  ///< request line and headers; beyond it: 431
  std::size_t max_body_bytes = 1 << 20;      ///< beyond it: 413
  /// What the memory of all requests' bodies may be together while they are read and handled, beyond the
  /// first 64 KiB of each and up to twice as long as they are; 0: no limit; beyond it: 503 with Retry-After.
  std::size_t max_bodies_bytes = 0;
  std::size_t max_connections = 20'000;  ///< beyond it a new connection is closed at once, idle ones first
  std::chrono::milliseconds header_timeout{10'000};  ///< for the whole head of a request; then 408
  std::chrono::milliseconds body_timeout{60'000};    ///< for the whole body
  std::chrono::milliseconds idle_timeout{75'000};    ///< between two requests
  std::chrono::milliseconds write_timeout{60'000};   ///< for one reply; a client that reads slower is cut off
  std::chrono::milliseconds request_timeout{60'000};  ///< the deadline that handlers see
  double max_requests_per_second =
      0;  ///< for each remote address; 0: no limit; beyond it: 429 with Retry-After
  std::string server_name = "fairway";  ///< the Server header
};

/// Counts that a status page or a metric may show.
struct ServerCounts {
  std::uint64_t requests = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t connections_total = 0;
  std::uint64_t refused = 0;  ///< replies that the server itself made
};

class Server {
 public:
  /// Binds, listens and starts to serve. Errors: the address (in use, not ours), the certificate.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Router router);
  /// Stops at once; see `drain`.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "127.0.0.1:43211": the address that was bound.
  std::string address() const;
  std::uint16_t port() const;
  /// Loads certificate and key again. Connections that stand keep the old ones until their next reply, which
  /// is their last. On an error the old ones stay.
  Result<void> reload_tls();
  /// Serves this certificate (PEM chain) and key from now on, as above; on an error the old ones
  /// stay. For a server that was started with texts: `unsupported` for one that has files.
  Result<void> use_certificate(std::string certificate, std::string key);
  /// Accepts no more, finishes the requests that are under way (idle connections close at once, kept ones get
  /// `Connection: close`, streams are asked to end), and returns when all are done or `limit` has passed;
  /// what is left is cut.
  ///
  /// A client that keeps its connections may send a request just as its idle one is closed, and cannot know
  /// whether it was heard. Where that matters (the API server does not repeat what it asks of a webhook),
  /// give them `quiet`, once no new ones are led here: for that time before all else, or until no connection
  /// is left, every connection may bring one more request, which is answered with `Connection: close`.
  void drain(std::chrono::milliseconds limit, std::chrono::milliseconds quiet = {});
  ServerCounts counts() const;

 private:
  struct Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
