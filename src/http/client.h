// SPDX-License-Identifier: Apache-2.0

// The HTTP client (HTTP/1.1 and, where it is asked for, HTTP/2): plain blocking calls, each with a deadline,
// a size limit and a stop token.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "http/message.h"
#include "http/shared_key.h"
#include "http/url.h"

namespace fairway::http {

struct ClientOptions {
  /// PEM files of CAs trusted in addition to the system's; of a folder, all files are read. A file that
  /// cannot be read is an error.
  std::vector<std::string> ca_files = {};
  bool system_cas = true;
  /// PEM texts of more trusted CAs, each with its origin, for errors.
  std::vector<std::pair<std::string, std::string>> ca_texts = {};
  /// A client certificate (PEM chain and key); reloaded when the files change.
  std::string certificate_file = {}, key_file = {};
  /// The client certificate and key as PEM texts, instead of files.
  std::string certificate = {}, key = {};
  /// The key for https, in place of all certificates: the server has to have the same one.
  SharedKey shared_key = {};
  /// Name to verify instead of the URL's host.
  std::string tls_server_name = {};
  bool insecure_skip_verify = false;
  /// HTTP_PROXY, HTTPS_PROXY, NO_PROXY and their lower-case forms.
  bool proxy_environment = true;
  /// One http:// proxy for every request, in place of those of the environment; empty for none.
  std::string proxy = {};
  std::string user_agent = "fairway";
  std::size_t max_idle_connections_per_host = 8;
  /// Calls to https share a connection of HTTP/2, if the server chooses that (ALPN). A thread then reads and
  /// writes that connection. Never with a shared key.
  bool http2 = false;
  /// A server of HTTP/2 that owes replies and has sent nothing for so long is asked for a sign of life;
  /// without one for `ping_timeout`, all calls on that connection fail with `unavailable`.
  std::chrono::milliseconds ping_after{30'000}, ping_timeout{15'000};
  std::chrono::milliseconds connect_timeout{10'000};
  /// The clock of the calls' deadlines; it outlives the client. The client itself waits by the machine's
  /// clock.
  const Clock* clock = &Clock::system();
};

/// One call.
struct Call {
  std::string method = "GET";
  Url url = {};
  Headers headers = {};
  std::string body = {};
  /// The deadline of the whole call, redirects included, by `ClientOptions::clock`, and its stop token.
  /// A call without a deadline is an error.
  Limits limits = {};
  /// A larger body is an error (`too_large`).
  std::size_t max_body_bytes = 64 << 20;
  /// Number of redirects to follow (GET and HEAD only). Authorization and cookies are sent to the same origin
  /// only; redirects from https to http are not followed.
  int max_redirects = 0;
  /// Receives the body in chunks instead of `Reply::body`; an error ends the call with that error. Called
  /// only for status 2xx; other bodies are collected (up to 64 KiB) for the error message.
  std::function<Result<void>(std::string_view piece)> on_body = {};
  /// Called when the server, or a proxy, has accepted a new connection, before TLS.
  std::function<void()> on_reached = {};
  /// Called when a connection is established and the request is about to be written to it.
  std::function<void()> on_connected = {};
  /// Request gzip, and decompress the reply (within `max_body_bytes`). Has no effect with `on_body`.
  bool accept_gzip = false;
};

struct Reply {
  int status = 0;
  /// The reason phrase of the status, as received: "Not Found", or words of the server's own; may be empty.
  std::string phrase = {};
  Headers headers = {};
  std::string body = {};
  Url url = {};  ///< the URL that answered, after redirects
};

/// An HTTP client that pools keep-alive connections. Thread-safe. If a pooled connection turns out to be
/// closed, the request is retried on a new one, provided that no byte of the reply has been read and the
/// method is safe (GET, HEAD, OPTIONS, TRACE). Over HTTP/2, any request of which the server says that it has
/// done nothing is sent again, four times at most.
class Client {
 public:
  static Result<std::unique_ptr<Client>> create(const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Any status is a Reply; an Error means that there is none: `unavailable` (refused, reset, TLS, unknown
  /// host, malformed reply), `deadline_exceeded`, `cancelled`, `too_large`, `invalid` (the URL),
  /// `unauthenticated` (the server has another shared key). The text
  /// names the URL (without credentials), what failed, and what to do (an unknown CA says how to trust it).
  Result<Reply> send(const Call& call);

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
