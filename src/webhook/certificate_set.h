// SPDX-License-Identifier: Apache-2.0

// The certificates of a webhook server and of its own CA, and their rotation.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/certificate.h"
#include "k8s/core.h"

namespace fairway::webhook {

/// The times at which certificates are renewed, and their validity.
struct CertificatePolicy {
  /// The server's DNS names and addresses: "webhook.ns.svc".
  std::vector<std::string> names = {};
  /// The common name of CAs; each gets random digits as suffix.
  std::string authority_name = "Fairway CA";

  std::chrono::nanoseconds serving_rotation = std::chrono::hours(6 * 24);
  std::chrono::nanoseconds serving_validity = std::chrono::hours(7 * 24);
  std::chrono::nanoseconds ca_rotation = std::chrono::hours(180 * 24);
  std::chrono::nanoseconds ca_validity = std::chrono::hours(365 * 24);
  /// Time that a new CA is in the bundle before it signs certificates, and that an old one stays there
  /// afterwards.
  std::chrono::nanoseconds ca_overlap = std::chrono::minutes(10);
  /// Time by which certificates are backdated, for clock skew.
  std::chrono::nanoseconds skew = std::chrono::minutes(5);

  /// Errors: no name; a certificate that would expire before it is replaced.
  Result<void> check() const;
};

/// The state shared by replicas, in one Secret:
///   server-cert.pem, server-key.pem   what is served
///   ca-cert.pem                       the bundle: all CAs that clients should trust
///   ca-key.pem                        the key of the CA that signs
///   current-ca-cert.pem, next-ca-cert.pem, next-ca-key.pem, previous-ca-cert.pem
///   rotation.json                     since when each is what it is
/// The first three are as in Knative's webhooks.
class CertificateSet {
 public:
  struct Authority {
    http::KeyedCertificate pair = {};
    WallTime since = {};
  };

  /// Reads a set from a Secret; std::nullopt if it has none of the keys above. Errors name the key: `invalid`
  /// if it is missing or malformed.
  static Result<std::optional<CertificateSet>> read(const k8s::Secret& secret);
  /// Writes all keys, and removes those without content; other keys are kept.
  void write(k8s::Secret& secret) const;

  /// The first set: a CA, and a server certificate.
  static Result<CertificateSet> make(const CertificatePolicy& policy, WallTime now);

  /// Starts the rotation of the CA: issues the next one, unless there is one.
  Result<void> begin_replacing_authority(const CertificatePolicy& policy, WallTime now);
  /// Performs due rotations: a next CA is issued and added to the bundle; it becomes the signing CA when it
  /// has been there, and trusted by clients, for the overlap; the previous one is removed from the bundle
  /// after another overlap. The server certificate is renewed when it is old, expires soon, is not signed by
  /// the current CA or is for other names. An expired CA is replaced immediately. `trusted_since`: since when
  /// all clients have this bundle; std::nullopt if they do not. Returns whether anything changed.
  Result<bool> advance(const CertificatePolicy& policy, WallTime now, std::optional<WallTime> trusted_since);
  /// Returns the time of the next rotation.
  WallTime due(const CertificatePolicy& policy, std::optional<WallTime> trusted_since) const;

  const http::KeyedCertificate& serving() const { return serving_; }
  /// PEM of all CAs that clients should trust, in an order independent of their roles, because API servers
  /// recreate their clients when the text changes.
  std::string bundle() const;
  const Authority& current() const { return current_; }
  const std::optional<Authority>& next() const { return next_; }
  /// The previous CA, without its key, because it no longer signs.
  const std::optional<Authority>& previous() const { return previous_; }

 private:
  Result<void> issue(const CertificatePolicy& policy, WallTime now);
  bool serving_is_due(const CertificatePolicy& policy, WallTime now) const;

  Authority current_;
  std::optional<Authority> next_, previous_;
  http::KeyedCertificate serving_;
  WallTime serving_since_;
};

}  // namespace fairway::webhook
