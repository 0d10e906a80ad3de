// SPDX-License-Identifier: Apache-2.0

// Authorization for a registry: Basic, and the bearer-token flow of Docker's token server.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/url.h"
#include "oci/internal/auth.h"
#include "oci/internal/transport.h"
#include "oci/registry.h"

namespace fairway::oci {

/// Remembers the challenge of each repository's registry, and its tokens until they expire. Safe from all
/// threads.
class Authenticator {
 public:
  /// The token servers that may receive credentials (see `may_receive_credentials`).
  struct Trust {
    bool plain_http = false;  ///< true if token servers may also be reached without TLS
    std::vector<std::string> hosts;
  };

  Authenticator(AuthFile file, Trust trust, Transport& transport)
      : file_(std::move(file)), trust_(std::move(trust)), transport_(transport) {}

  /// Returns the Authorization value to send without a challenge: "" until the registry has sent one.
  Result<std::string> ready(const Reference& repository, const Limits& limits);

  /// Returns the Authorization value that answers a 401 of the registry itself, at `asked`; challenges of
  /// other hosts must not be passed. `rejected` is the value sent with the request ("" for none); an answer
  /// that was already rejected is an error, `unauthenticated`.
  Result<std::string> answer(const Reference& repository, const http::Url& asked, const http::Headers& reply,
                             const std::string& rejected, const Limits& limits);

  /// Returns the entry of the auth file that was used for a repository, or the keys that were looked up.
  std::string describe(const Reference& repository) const;

 private:
  struct Session {
    std::mutex mutex;  ///< held while a token is fetched, so that it is fetched once
    Challenge challenge;
    http::Url registry;  ///< registry that sent the challenge
    std::string authorization;
    SteadyTime expires = SteadyTime::max();
  };
  Session& session(const Reference& repository);
  /// Fetches the token that a challenge of the registry asks for, and keeps it in the session; nothing
  /// changes on an error.
  Result<void> fetch_token(Session& session, const http::Url& registry, const Challenge& challenge,
                           const Reference& repository, const Limits& limits);
  Result<http::Call> token_request(const http::Url& registry, const Challenge& challenge,
                                   const Reference& repository) const;

  AuthFile file_;
  Trust trust_;
  Transport& transport_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

}  // namespace fairway::oci
