// The HTTP/1.1 client: plain blocking calls, each with a deadline, a size limit and a stop token.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "http/message.h"
#include "http/url.h"

namespace fairway::http {

struct ClientOptions {
  /// PEM files of CAs trusted beside the system's; a folder is read whole. A file that cannot be read is an
  /// error.
  std::vector<std::string> ca_files;
  bool system_cas = true;
  /// PEM texts of CAs that are trusted too, each with where it came from, for errors.
  std::vector<std::pair<std::string, std::string>> ca_texts;
  /// A client certificate (PEM chain and key); read again when the files change.
  std::string certificate_file, key_file;
  /// The same as PEM texts, instead of files.
  std::string certificate, key;
  /// Name to verify instead of the URL's host.
  std::string tls_server_name;
  bool insecure_skip_verify = false;
  /// HTTP_PROXY, HTTPS_PROXY, NO_PROXY and their lower-case twins.
  bool proxy_environment = true;
  /// One http:// proxy for every request, whatever the environment says; empty for none.
  std::string proxy;
  std::string user_agent = "fairway";
  std::size_t max_idle_connections_per_host = 8;
  std::chrono::milliseconds connect_timeout{10'000};
};

/// One call.
struct Call {
  std::string method = "GET";
  Url url;
  Headers headers;
  std::string body;
  /// When to give up, whatever has happened until then.
  SteadyTime deadline;
  /// More body than this is an error (`too_large`).
  std::size_t max_body_bytes = 64 << 20;
  /// How many redirects to follow (GET and HEAD only). Authorization and cookies go to the same origin only,
  /// and from https to plain http nothing is followed.
  int max_redirects = 0;
  /// Where the body goes piece by piece instead of into `Reply::body`; an error ends the call with that
  /// error. Called only for status 2xx; other bodies are collected (up to 64 KiB) for the error's text.
  std::function<Result<void>(std::string_view piece)> on_body;
  /// Called whenever a connection stands and the request is about to be written to it.
  std::function<void()> on_connected;
  /// Ask for gzip, and decompress what comes (within `max_body_bytes`). Not with `on_body`.
  bool accept_gzip = false;
  std::stop_token stop;
};

struct Reply {
  int status = 0;
  Headers headers;
  std::string body;
  Url url;  ///< the one that answered, after redirects
};

/// Safe from all threads. Keeps connections alive; a kept one that turns out to be dead is replaced without
/// the caller noticing when nothing of the reply has been read and the method only reads (GET, HEAD, OPTIONS,
/// TRACE).
class Client {
 public:
  static Result<std::unique_ptr<Client>> create(const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Any status is a Reply; an Error is a failure to get one: `unavailable` (refused, reset, TLS, name
  /// unknown, broken reply), `deadline_exceeded`, `cancelled`, `too_large`, `invalid` (the URL). The text
  /// names the URL (without credentials), what failed, and what to do (an unknown CA says how to trust it).
  Result<Reply> send(const Call& call);

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
