// SPDX-License-Identifier: Apache-2.0

// Certificates of a webhook server with its own CA: keeps Secret, server and API server in
// sync.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kube/client/client.h"
#include "webhook/ca_bundle.h"
#include "webhook/certificate_set.h"

namespace fairway::webhook {

struct ServerCertificatesOptions {
  /// The Secret shared by all replicas; created if absent.
  k8s::Key secret = {};
  CertificatePolicy policy = {};
  /// The objects whose `caBundle` must trust the server.
  std::vector<CaBundleTarget> targets = {};
  /// Called with the certificate to serve whenever it changes (`http::Server::use_certificate`). An error
  /// fails the round, which is retried.
  std::function<Result<void>(const http::KeyedCertificate&)> serve = {};
  /// Called with a new bundle (PEM) before it is published, for example to create the targets. An error fails
  /// the round, and nothing is published.
  std::function<Result<void>(const std::string& bundle)> before_publishing = {};
  /// Maximum interval between checks for changes of the Secret and the targets.
  std::chrono::nanoseconds check_interval = std::chrono::seconds(30);
  std::string field_manager = "fairway-certificates";
};

/// Replicas need no leader: each performs due rotations, the Secret's resourceVersion decides which write
/// wins, and the others adopt it.
class ServerCertificates {
 public:
  /// Errors: those of the policy. Uses `client` and its clock.
  static Result<std::unique_ptr<ServerCertificates>> create(std::shared_ptr<kube::Client> client,
                                                            ServerCertificatesOptions options);

  /// Runs one round: reads (or creates) the Secret, performs due rotations, serves, publishes. If one of
  /// serving and publishing fails, the other is still done. Returns the time of the next round. Errors name
  /// the object: the Secret cannot be parsed, written or read; the server rejects the certificate; a target
  /// does not exist or rejects the bundle.
  Result<SteadyTime> round(const std::stop_token& stop = {});

  /// Runs rounds until a stop request. Errors are logged, and retried with backoff.
  void run(const std::stop_token& stop);

  /// The set of the last round; std::nullopt before the first.
  const std::optional<CertificateSet>& set() const { return set_; }

 private:
  ServerCertificates(std::shared_ptr<kube::Client> client, ServerCertificatesOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  Result<CertificateSet> read_and_advance(const std::stop_token& stop);
  Result<void> serve();
  Result<void> publish(const std::string& bundle, const std::stop_token& stop);

  std::shared_ptr<kube::Client> client_;
  ServerCertificatesOptions options_;
  std::optional<CertificateSet> set_;
  std::optional<http::KeyedCertificate> served_;
  std::optional<WallTime> trusted_since(const CertificateSet& set) const;

  /// The bundle that all targets had at the end of the last round, and since when; empty if one had not.
  std::string published_;
  WallTime published_since_;
};

}  // namespace fairway::webhook
