// Authorization for a registry: Basic, and the bearer-token flow of Docker's token server.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/message.h"
#include "oci/internal/auth.h"
#include "oci/internal/transport.h"
#include "oci/registry.h"

namespace fairway::oci {

/// Remembers what each repository's registry asked for, and its tokens until they expire. Safe from all
/// threads.
class Authenticator {
 public:
  Authenticator(AuthFile file, bool plain_http, Transport& transport)
      : file_(std::move(file)), plain_http_(plain_http), transport_(transport) {}

  /// The Authorization value to send without being asked: "" until the registry has asked once.
  Result<std::string> ready(const Reference& repository, const Limits& limits);

  /// The Authorization value that answers a 401. `rejected` is what was sent with the request ("" for
  /// nothing); an answer that was already rejected is an error, `unauthenticated`.
  Result<std::string> answer(const Reference& repository, const http::Headers& reply,
                             const std::string& rejected, const Limits& limits);

  /// Which entry of the auth file was used for a repository, or what was looked for.
  std::string describe(const Reference& repository) const;

 private:
  struct Session {
    std::mutex mutex;  ///< held while a token is fetched, so that it is fetched once
    Challenge challenge;
    std::string authorization;
    SteadyTime expires = SteadyTime::max();
  };
  Session& session(const Reference& repository);
  Result<void> fetch_token(Session& session, const Reference& repository, const Limits& limits);
  Result<http::Call> token_request(const Challenge& challenge, const Reference& repository) const;

  AuthFile file_;
  bool plain_http_;
  Transport& transport_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

}  // namespace fairway::oci
