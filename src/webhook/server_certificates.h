// A webhook server that is its own certificate authority: the Secret, the server and the API server kept in
// step.
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

namespace fairway::kube {

struct ServerCertificatesOptions {
  /// Of the Secret that all replicas share. It is made where it is missing.
  k8s::Key secret;
  CertificatePolicy policy;
  /// What else has to trust the server.
  std::vector<CaBundleTarget> targets;
  /// Told the certificate to serve, whenever it is another one (`http::Server::use_certificate`). An error is
  /// one of the round, which is tried again.
  std::function<Result<void>(const http::KeyedCertificate&)> serve;
  /// Told another bundle (PEM) before it is published: to make the targets first, or for further uses of it.
  /// An error is one of the round, and nothing is published then.
  std::function<Result<void>(const std::string& bundle)> before_publishing = {};
  /// How often at least to look whether another replica has changed the Secret, or somebody the targets.
  std::chrono::nanoseconds look_every = std::chrono::seconds(30);
  std::string field_manager = "fairway-certificates";
};

/// Replicas need no leader: each does what is due, the Secret's resourceVersion decides whose write counts,
/// and the others take over what was written. spec: crd-versioning, Dynamic Certificates.
class ServerCertificates {
 public:
  /// Errors: those of the policy. `client` and its clock are used.
  static Result<std::unique_ptr<ServerCertificates>> create(std::shared_ptr<Client> client,
                                                            ServerCertificatesOptions options);

  /// One round: reads the Secret (and makes it), does what is due, serves, publishes. What is served and what
  /// is published goes on where one of the two fails. Returns when to come again. Errors name the object: the
  /// Secret cannot be used, written or read; the server does not take the certificate; a target is not there
  /// or does not take the bundle.
  Result<SteadyTime> round(const std::stop_token& stop = {});

  /// Rounds until it is asked to stop. Errors are logged, and tried again with growing pauses.
  void run(const std::stop_token& stop);

  /// The set of the last round; nothing before the first.
  const std::optional<CertificateSet>& set() const { return set_; }

 private:
  ServerCertificates(std::shared_ptr<Client> client, ServerCertificatesOptions options)
      : client_(std::move(client)), options_(std::move(options)) {}

  Result<CertificateSet> read_and_advance(const std::stop_token& stop);
  Result<void> serve();
  Result<void> publish(const std::string& bundle, const std::stop_token& stop);

  std::shared_ptr<Client> client_;
  ServerCertificatesOptions options_;
  std::optional<CertificateSet> set_;
  std::optional<http::KeyedCertificate> served_;
  std::optional<WallTime> trusted_since(const CertificateSet& set) const;

  /// The bundle that all targets had at the end of the last round, and since when; empty where one had not.
  std::string published_;
  WallTime published_since_;
};

}  // namespace fairway::kube
