// SPDX-License-Identifier: Apache-2.0

// The certificates that replicas of the gateway controller show each other: in a Secret that they share.
#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "gateway/replicas.h"
#include "kube/client/client.h"
#include "webhook/server_certificates.h"

namespace fairway::cli {

/// A CA and a server certificate in the Secret `fairway-gateway-replicas`, made and renewed by the first
/// replica that can. Each replica has a client certificate of its own, which is stored nowhere else.
class ReplicaCertificates {
 public:
  /// Creates them. Errors: OpenSSL fails.
  static Result<std::unique_ptr<ReplicaCertificates>> create(const std::shared_ptr<kube::Client>& client,
                                                             const std::string& namespace_name);
  /// Keeps the Secret up to date until `stop`.
  void run(const std::stop_token& stop) { kept_->run(stop); }
  /// Returns the current certificates. Errors: `unavailable`, as long as the Secret has not been read.
  /// Thread-safe.
  Result<gateway::ReplicaCertificates> now();

 private:
  Result<void> serve(const http::KeyedCertificate& server, WallTime at);

  std::unique_ptr<webhook::ServerCertificates> kept_;
  std::mutex mutex_;
  gateway::ReplicaCertificates now_;
};

}  // namespace fairway::cli
