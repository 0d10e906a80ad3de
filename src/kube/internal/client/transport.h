// SPDX-License-Identifier: Apache-2.0

// HTTP to one API server: TLS, credentials, and the retries that need no knowledge of objects.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "http/client.h"
#include "kube/client/client.h"
#include "kube/internal/client/credentials.h"
#include "kube/internal/client/rate_limiter.h"

namespace fairway::kube {

/// States if a request is subject to the settings' rate limit.
enum class Throttle { yes, no };

/// Sends requests over HTTP. Safe from all threads.
class Transport {
 public:
  static Result<std::unique_ptr<Transport>> create(ClientConfig config, ClientSettings settings);

  const ClientConfig& config() const { return config_; }
  const ClientSettings& settings() const { return settings_; }
  Clock& clock() const { return clock_; }

  /// Sends a request; a reply with any status is a result. Waits as Retry-After says, and retries with new
  /// credentials after a 401. `may_send`, if given, is called before each attempt, after any wait.
  Result<http::Reply> send(const ApiRequest& request, const Limits& limits,
                           const std::function<Result<void>()>& may_send = {},
                           Throttle throttle = Throttle::yes);

 private:
  Transport(ClientConfig config, ClientSettings settings, http::Url base);

  /// Returns the HTTP client for a certificate: a plugin's certificate may change.
  Result<std::shared_ptr<http::Client>> client_for(const Credentials::Current& who);
  http::ClientOptions options_for(const Credentials::Current& who) const;
  http::Headers headers_for(const ApiRequest& request, const Credentials::Current& who) const;
  void count(const std::string& method, const std::string& code) const;
  /// Writes the line of the log for an answer, or for its absence.
  void log_request(const ApiRequest& request, const Result<http::Reply>& reply,
                   SteadyTime::duration took) const;
  void report_warnings(const http::Headers& headers) const;

  const ClientConfig config_;
  const ClientSettings settings_;
  Clock& clock_;
  const http::Url base_;
  Credentials credentials_;
  std::unique_ptr<RateLimiter> rate_limiter_;
  std::mutex mutex_;
  std::shared_ptr<http::Client> client_;
  std::string client_certificate_;
};

}  // namespace fairway::kube
