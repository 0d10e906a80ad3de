// SPDX-License-Identifier: Apache-2.0

// The HTTP server: HTTP/1.1 and, where it is asked for, HTTP/2. Immediate handlers run on the I/O thread and
// must not block; blocking ones run in a bounded pool.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "http/flow.h"
#include "http/message.h"
#include "http/shared_key.h"

namespace fairway::http {

using Handler = std::function<Response(const Request&)>;

/// Routes paths to handlers. Built before the server starts, immutable afterwards.
class Router {
 public:
  /// `path` is exact, or a prefix if it ends with "/". The longest match wins. `methods` is a space-separated
  /// list, e.g. "GET HEAD"; HEAD runs the same handler and the server omits the body. Another method gets 405
  /// with Allow; OPTIONS is answered by `options`, or with 204 and Allow. Bodies are for other methods than
  /// GET, HEAD, OPTIONS and TRACE: a body of another request never reaches a handler, and one of more than 64
  /// KiB or of unknown length is not awaited (413 where nothing else is wrong, then the connection closes).
  Router& immediate(std::string path, std::string_view methods, Handler handler);
  Router& blocking(std::string path, std::string_view methods, Handler handler);
  /// Handles paths that no route matches (immediate). The default is a plain 404.
  Router& fallback(Handler handler);
  /// Handles OPTIONS on known paths (immediate); `allow` is the Allow value.
  Router& options(std::function<Response(const Request&, std::string_view allow)> handler);
  /// Sets the function that chooses the flow of a request for a blocking handler. It runs on the I/O thread
  /// and must not block. The default is one flow of the first level for all.
  Router& flow(std::function<Flow(const Request&)> flow_of);
  /// Makes the reply for requests that the server itself rejects (400, 405, 408, 413, 414, 429, 431, 500,
  /// 503): the function gets the status and a sentence, and returns the response. The default is plain text.
  Router& refusal(std::function<Response(int status, std::string_view why)> handler);

 private:
  friend class Server;
  friend struct RouterAccess;
  struct Implementation;
  std::shared_ptr<Implementation> implementation_;

 public:
  Router();
};

/// A TLS server context: certificate chain, key and client CAs, reloadable at run time; or a shared key.
struct TlsServerOptions {
  SharedKey shared_key = {};          ///< in place of certificates: clients have to have the same key
  std::string certificate_file = {};  ///< PEM chain
  std::string key_file = {};          ///< PEM
  /// Certificate and key as PEM texts, instead of files: served until `Server::use_certificate` replaces
  /// them.
  std::string certificate = {}, key = {};
  std::string client_ca_file = {};  ///< CAs for client certificates; empty: none requested
  std::string client_ca = {};       ///< CAs for client certificates as PEM text, instead of a file
  bool require_client_certificate = false;
  /// Interval at which the files are checked, and reloaded if they changed; 0: only by `reload_tls`.
  std::chrono::seconds reload_every{10};
};

/// The ways in which a server takes to HTTP/2: for clients that choose it in the TLS handshake (ALPN h2), or
/// also without TLS for clients that begin with its preface.
enum class Http2 : std::uint8_t { off, tls, prior_knowledge };

struct ServerOptions {
  /// "127.0.0.1:8080", "[::1]:0" (port 0: any free one), ":8080" (all addresses).
  std::string listen = {};
  std::optional<TlsServerOptions> tls = {};
  int io_threads = 0;                 ///< 0: one per core
  int blocking_threads = 8;           ///< the pool of blocking handlers
  std::size_t blocking_queue = 1024;  ///< queued requests; beyond it: 503 with Retry-After
  /// Levels of requests, the most urgent first, in place of `blocking_queue`: 429 with a Retry-After that has
  /// jitter. Empty: all requests are in one flow.
  std::vector<FlowLevel> levels = {};
  /// A request that has waited longer for a thread is refused (429); 0: it waits until its turn comes.
  std::chrono::milliseconds queue_timeout{0};
  std::size_t max_header_bytes = 16 * 1024;  ///< request line and headers; beyond it: 431
  std::size_t max_body_bytes = 1 << 20;      ///< beyond it: 413
  /// Limit on the memory of all bodies in flight, three quarters for one address (IPv6: a /64). The first 64
  /// KiB of each are not counted, others up to twice. 0: no limit; beyond it slow requests are closed, else
  /// 503.
  std::size_t max_bodies_bytes = 0;
  /// Limit on connections and the streams on them. Beyond it connections are closed: idle ones, then those
  /// that are slow to send a request or to read a reply, then new ones.
  std::size_t max_connections = 20'000;
  /// Limit for one remote address (IPv6: a /64), beyond which its own idle connections are closed, then its
  /// new ones. 0: nine tenths of `max_connections`, so that a share is left for others.
  std::size_t max_connections_per_address = 0;
  /// Requests of one address that have only begun to come (TLS handshakes too); beyond it the oldest closes.
  /// 0: a quarter of `max_connections`, and no more than fit into half of `max_unfinished_bytes`.
  std::size_t max_unfinished_per_address = 0;
  /// Limit on the memory of all requests that have only begun to come; beyond it those of the address that
  /// holds most are closed, then slow ones, then the oldest; else the new one gets 503. 0: no limit.
  std::size_t max_unfinished_bytes = 64 << 20;
  /// Limit on the memory of all replies that wait for their readers: bytes that only one of them holds, for
  /// streams their share of those that several hold, the kernel's part, and what their readers send
  /// meanwhile. One reply counts for a quarter of the limit at most. Beyond it the oldest of the address that
  /// holds most are closed. 0: no limit.
  std::size_t max_unread_bytes = 256 << 20;
  /// Bytes a second that a body has to come at, and that a reply has to be read at, in each `rate_window`;
  /// slower ones are ended. 0: no limit but `body_timeout` and `write_timeout`.
  double min_body_rate = 500, min_reply_rate = 500;
  std::chrono::milliseconds rate_window{10'000};
  std::chrono::milliseconds header_timeout{10'000};  ///< for the whole head of a request; then 408
  std::chrono::milliseconds body_timeout{60'000};    ///< for the whole body
  std::chrono::milliseconds idle_timeout{75'000};    ///< between two requests
  std::chrono::milliseconds write_timeout{60'000};   ///< for one reply; slower clients are disconnected
  /// Time for which the reader of a stream may take less than `min_reply_rate` of the waiting bytes.
  std::chrono::milliseconds stream_timeout{60'000};
  std::chrono::milliseconds request_timeout{60'000};  ///< the deadline of handlers
  /// Limit per remote address; 0: no limit; beyond it: 429 with Retry-After.
  double max_requests_per_second = 0;
  std::string server_name = "fairway";  ///< the Server header
  Http2 http2 = Http2::off;             ///< never with a shared key
  /// Requests that are open at once on one connection of HTTP/2. Each counts as a connection in
  /// `max_connections` and `max_connections_per_address`, besides the connection itself.
  std::uint32_t max_streams = 250;
};

/// Counters for a status page or metrics.
struct ServerCounts {
  std::uint64_t requests = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t connections_total = 0;
  std::uint64_t streams_open = 0;  ///< requests of HTTP/2, and replies to them, in progress
  std::uint64_t refused = 0;       ///< rejected by the server itself
  std::uint64_t unfinished = 0;    ///< requests that have begun to come, now
  /// Memory of replies that wait for their readers, now, as `ServerOptions::max_unread_bytes` counts it.
  std::uint64_t unread_bytes = 0;
  // Connections closed before their end:
  std::uint64_t shed_idle = 0;          ///< idle, to make room
  std::uint64_t shed_slow = 0;          ///< too slow, or slow while there was no room; replies not read
  std::uint64_t shed_address = 0;       ///< beyond the share of one address
  std::uint64_t shed_full = 0;          ///< new, where all connections were busy
  std::uint64_t shed_memory = 0;        ///< beyond the memory of requests that have only begun to come
  bool overloaded_connections = false;  ///< now: nine tenths of the connections, with streams, are open
  bool overloaded_memory = false;       ///< now: nine tenths of the memory of such requests are in use
  bool overloaded_replies = false;      ///< now: nine tenths of the memory of unread replies are in use
};

class Server {
 public:
  /// Binds, listens and starts to serve. Errors: the address (in use, not local), the certificate.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Router router);
  /// Stops immediately; see `drain`.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "127.0.0.1:43211": the bound address.
  std::string address() const;
  std::uint16_t port() const;
  /// Reloads certificate and key. Open connections keep the old ones until their next reply, which is their
  /// last. On an error the old ones stay in use.
  Result<void> reload_tls();
  /// Replaces certificate (PEM chain) and key, as above; on an error the old ones stay in use. For servers
  /// started with PEM texts: `unsupported` for one started with files.
  Result<void> use_certificate(std::string certificate, std::string key);
  /// Stops accepting, finishes the requests in flight (idle connections close at once, replies carry
  /// `Connection: close`, streams get a stop request), and returns when all are done or `limit` has passed;
  /// remaining connections are then closed.
  ///
  /// A client may send a request on a keep-alive connection just as the server closes it, and cannot know
  /// whether it was processed. Where that matters (the API server does not retry a call of a webhook), pass
  /// `quiet` once no new connections are routed here: for that time first, or until no connection is left,
  /// each connection may send one more request, which is answered with `Connection: close`.
  void drain(std::chrono::milliseconds limit, std::chrono::milliseconds quiet = {});
  ServerCounts counts() const;
  /// Counts of each of `ServerOptions::levels`, in their order.
  std::vector<FlowCounts> flows() const;

 private:
  struct Implementation;
  explicit Server(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
