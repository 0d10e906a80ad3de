// SPDX-License-Identifier: Apache-2.0

#include "http/client.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/redact.h"
#include "base/text.h"
#include "http/internal/client/client_connection.h"
#include "http/internal/client/client_tls.h"
#include "http/internal/client/proxy.h"
#include "http/internal/client/request_head.h"
#include "http/internal/http2/client_pool.h"
#include "http/origin.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

/// Kept connections that have been silent for longer are not tried again: many servers and middleboxes give
/// up at 60 s.
constexpr auto most_idle_time = 50s;

/// Attempts at a call that a server of HTTP/2 refuses unseen.
constexpr int most_tries = 5;

/// RFC 9110, section 9.2.1. PUT and DELETE are idempotent, but after a retry their sender gets the reply to
/// the second one: a conflict with itself, or that there is nothing to delete.
bool is_safe(std::string_view method) {
  for (const std::string_view known : {"GET", "HEAD", "OPTIONS", "TRACE"}) {
    if (method == known) return true;
  }
  return false;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

struct Client::Implementation {
  explicit Implementation(const ClientOptions& given) : options(given), tls(given) {}

  /// A kept connection to this origin that still stands, the youngest first; or none.
  std::unique_ptr<ClientConnection> take_kept(const std::string& key) {
    const auto now = std::chrono::steady_clock::now();
    while (true) {
      std::unique_ptr<ClientConnection> connection;
      {
        const std::scoped_lock lock(mutex);
        const auto kept = idle.find(key);
        if (kept == idle.end()) return nullptr;
        connection = std::move(kept->second.back());
        kept->second.pop_back();
        if (kept->second.empty()) idle.erase(kept);
      }
      if (now - connection->idle_since < most_idle_time && connection->is_idle()) return connection;
    }
  }

  /// Returns whether connections to this origin are kept, which may have ended meanwhile.
  bool has_kept(const std::string& key) {
    const std::scoped_lock lock(mutex);
    return idle.contains(key);
  }

  void keep(const std::string& key, std::unique_ptr<ClientConnection> connection) {
    if (options.max_idle_connections_per_host == 0) return;
    connection->idle_since = std::chrono::steady_clock::now();
    std::vector<std::unique_ptr<ClientConnection>> dropped;  // closed without the lock
    const std::scoped_lock lock(mutex);
    for (auto entry = idle.begin(); entry != idle.end();) {
      auto& connections = entry->second;
      while (!connections.empty() &&
             connection->idle_since - connections.front()->idle_since > most_idle_time) {
        dropped.push_back(std::move(connections.front()));
        connections.erase(connections.begin());
      }
      entry = connections.empty() ? idle.erase(entry) : std::next(entry);
    }
    auto& connections = idle[key];
    if (connections.size() >= options.max_idle_connections_per_host) {
      dropped.push_back(std::move(connections.front()));
      connections.erase(connections.begin());
    }
    connections.push_back(std::move(connection));
  }

  /// Sends one request and reads its reply, without redirects.
  Result<Reply> send_once(const Call& call, const Url& url, const Headers& headers,
                          const SocketWait& sockets) {
    const std::optional<Url> proxy = proxies.proxy_for(url);
    const std::string head = make_head(call, url, headers, options, proxy);
    // Plain requests to a proxy share its connections, whatever they ask for.
    const std::string key = proxy && url.scheme == "http"
                                ? "proxy " + proxy->authority()
                                : url.scheme + "://" + url.host + ":" + std::to_string(url.port);
    if (options.http2 && url.scheme == "https" && !options.shared_key)
      return send_shared(call, url, proxy, head, key, sockets);
    return send_alone(call, url, proxy, head, key, sockets, nullptr);
  }

  /// Sends a request over a connection that it has for itself: a kept one, or a new one. `opened`: that one,
  /// first.
  Result<Reply> send_alone(const Call& call, const Url& url, const std::optional<Url>& proxy,
                           const std::string& head, const std::string& key, const SocketWait& sockets,
                           std::unique_ptr<ClientConnection> opened) {
    for (bool may_reuse = true;; may_reuse = false) {
      std::unique_ptr<ClientConnection> connection = std::move(opened);
      const bool is_new = connection != nullptr;
      if (!is_new && may_reuse) connection = take_kept(key);
      const bool reused = !is_new && connection != nullptr;
      if (!connection) {
        auto made = open(url, proxy, call.on_reached, sockets);
        if (!made) return fail(made.error());
        connection = std::move(*made);
        if (connection->speaks_http2()) {
          // The server has changed its mind: later calls share.
          auto shared = share(key, std::move(connection));
          if (!shared) return fail(shared.error());
          return std::move(send_over(**shared, call, head, sockets).reply);
        }
      }
      if (call.on_connected) call.on_connected();
      bool nothing_read = true;
      auto outcome = connection->exchange(head, call, sockets, nothing_read);
      if (!outcome) {
        // The server may have closed it just when we began to write.
        const bool will_retry =
            reused && nothing_read && is_safe(call.method) && outcome.error().code == ErrorCode::unavailable;
        if (will_retry) continue;
        return fail(outcome.error());
      }
      if (outcome->reusable) keep(key, std::move(connection));
      return std::move(outcome->reply);
    }
  }

  /// Makes a connection of HTTP/2 that others find, with room for one call. Errors: `internal` (the system
  /// has no thread), `unavailable` (the server has closed it).
  Result<std::shared_ptr<Http2Connection>> share(const std::string& key,
                                                 std::unique_ptr<ClientConnection> connection) {
    auto [fd, session] = connection->take();
    auto shared = Http2Connection::start(std::move(fd), std::move(session), options);
    const bool has_started = shared != nullptr;
    if (has_started && !shared->reserve()) shared = nullptr;
    multiplexed.opened(key, shared, true);
    if (shared) return shared;
    if (has_started)
      return fail(ErrorCode::unavailable, "the server has closed the connection before it took a call");
    return fail(ErrorCode::internal, "the system has no thread for a connection of HTTP/2");
  }

  struct Shared {
    Result<Reply> reply;
    bool unseen = false;  ///< it failed, and the server has done nothing of it
    bool safe = false;    ///< it failed, and may be sent again whatever the server has done
  };
  static Shared send_over(Http2Connection& connection, const Call& call, const std::string& head,
                          const SocketWait& sockets) {
    if (call.on_connected) call.on_connected();
    bool nothing_read = true, unseen = false;
    auto reply = connection.exchange(head, call, sockets, nothing_read, unseen);
    const bool has_failed = !reply && reply.error().code == ErrorCode::unavailable;
    return {.reply = std::move(reply),
            .unseen = has_failed && unseen,
            .safe = has_failed && nothing_read && is_safe(call.method)};
  }

  /// Sends a request over a connection that calls share, or alone if the server does not speak HTTP/2.
  Result<Reply> send_shared(const Call& call, const Url& url, const std::optional<Url>& proxy,
                            const std::string& head, const std::string& key, const SocketWait& sockets) {
    for (int tries = 1;; ++tries) {
      auto taken = multiplexed.take(key, sockets);
      if (!taken) return fail(taken.error());
      std::shared_ptr<Http2Connection> connection = std::move(*taken);
      const bool reused = connection != nullptr;
      if (!connection) {
        if (has_kept(key)) {
          multiplexed.opened(key, nullptr, false);
          return send_alone(call, url, proxy, head, key, sockets, nullptr);
        }
        auto opened = open(url, proxy, call.on_reached, sockets);
        if (!opened) {
          multiplexed.opened(key, nullptr, true);
          return fail(opened.error());
        }
        if (!(*opened)->speaks_http2()) {
          multiplexed.opened(key, nullptr, false);
          return send_alone(call, url, proxy, head, key, sockets, std::move(*opened));
        }
        auto shared = share(key, std::move(*opened));
        if (!shared && shared.error().code == ErrorCode::unavailable && tries < most_tries) continue;
        if (!shared) return fail(shared.error());
        connection = *std::move(shared);
      }
      Shared sent = send_over(*connection, call, head, sockets);
      // The server may have closed it just when the request was on its way, or it takes fewer calls at once
      // than were sent before that was known.
      if ((sent.unseen && tries < most_tries) || (sent.safe && reused && tries == 1)) continue;
      return std::move(sent.reply);
    }
  }

  Result<std::unique_ptr<ClientConnection>> open(const Url& url, const std::optional<Url>& proxy,
                                                 const std::function<void()>& on_reached,
                                                 const SocketWait& sockets) {
    Route route;
    route.url = url;
    route.proxy = proxy;
    route.connect_timeout = options.connect_timeout;
    route.on_reached = on_reached;
    if (url.scheme == "https") {
      auto context = tls.context();
      if (!context) return fail(context.error());
      route.tls = std::move(*context);
      route.tls_name = options.tls_server_name.empty() ? url.host : options.tls_server_name;
      route.verify = !options.insecure_skip_verify;
    }
    return ClientConnection::open(route, sockets);
  }

  const ClientOptions options;
  ProxyRules proxies;
  ClientTls tls;
  Http2Pool multiplexed;
  std::mutex mutex;
  /// Kept connections by origin, the oldest first.
  std::map<std::string, std::vector<std::unique_ptr<ClientConnection>>> idle;
};

Client::Client(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::create(const ClientOptions& options) {
  if (options.certificate_file.empty() != options.key_file.empty() ||
      options.certificate.empty() != options.key.empty()) {
    return fail(ErrorCode::invalid,
                "setting up the HTTP client: a client certificate needs its key, and a key its certificate");
  }
  auto implementation = std::make_unique<Implementation>(options);
  if (!options.proxy.empty()) {
    auto proxies = ProxyRules::always(options.proxy);
    if (!proxies) return fail(proxies.error());
    implementation->proxies = std::move(*proxies);
  } else if (options.proxy_environment) {
    auto proxies = ProxyRules::from_environment();
    if (!proxies) return fail(proxies.error());
    implementation->proxies = std::move(*proxies);
  }
  // Files that cannot be used are an error at once; the system's CAs take time to load and are left until
  // they are needed.
  if (!options.ca_files.empty() || !options.ca_texts.empty() || !options.certificate_file.empty() ||
      !options.certificate.empty()) {
    if (auto context = implementation->tls.context(); !context) return fail(context.error());
  }
  return std::unique_ptr<Client>(new Client(std::move(implementation)));
}

Result<Reply> Client::send(const Call& call) {
  if (!call.limits.has_deadline()) {
    return fail(ErrorCode::invalid, describe(call, call.url) + ": the call has no deadline");
  }
  const SocketWait sockets(call.limits, *implementation_->options.clock);
  Url url = call.url;
  Headers headers = call.headers;
  for (int followed = 0;; ++followed) {
    if (auto checked = check(call, url); !checked) return fail(checked.error());
    auto reply = implementation_->send_once(call, url, headers, sockets);
    if (!reply) return fail(reply.error().within(describe(call, url)));
    reply->url = url;
    const auto location = reply->headers.find("Location");
    const bool follows = call.max_redirects > 0 && is_redirect(reply->status) && location &&
                         (call.method == "GET" || call.method == "HEAD");
    if (!follows) return reply;
    if (followed == call.max_redirects) {
      return fail(ErrorCode::unavailable, describe(call, call.url) + ": more than " +
                                              std::to_string(call.max_redirects) + " redirects");
    }
    auto next = resolve(url, *location);
    if (!next) return fail(next.error().within(describe(call, url) + ": following a redirect"));
    if (url.scheme == "https" && next->scheme != "https") {
      return fail(ErrorCode::unavailable, describe(call, url) + ": the server redirects to " +
                                              redact_urls(next->to_string()) +
                                              ", which is not encrypted; that is not followed");
    }
    if (!same_origin(url, *next)) {
      headers.remove("Authorization");
      headers.remove("Cookie");
      headers.remove("Host");
      // Credentials in a redirect's URL come from the server, and are not used.
      next->userinfo.clear();
    } else {
      next->userinfo = url.userinfo;
    }
    url = std::move(*next);
  }
}

}  // namespace fairway::http
