// The certificates of a webhook server and of the authority that it is itself: what there is, and what comes
// next.
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

namespace fairway::kube {

/// When certificates are made anew, and for how long they are valid.
struct CertificatePolicy {
  /// The DNS names and addresses that the server is called by: "webhook.ns.svc".
  std::vector<std::string> names;
  /// What the authorities are called; each gets a few random digits behind it.
  std::string authority_name = "Fairway CA";

  std::chrono::nanoseconds serving_rotation = std::chrono::hours(6 * 24);
  std::chrono::nanoseconds serving_validity = std::chrono::hours(7 * 24);
  std::chrono::nanoseconds ca_rotation = std::chrono::hours(180 * 24);
  std::chrono::nanoseconds ca_validity = std::chrono::hours(365 * 24);
  /// How long a new CA is in the bundle before it signs what is served, and an old one stays after that.
  std::chrono::nanoseconds ca_overlap = std::chrono::minutes(10);
  /// How far back certificates begin: clocks differ.
  std::chrono::nanoseconds skew = std::chrono::minutes(5);

  /// Errors: no name; a certificate that would end before the next takes its place.
  Result<void> check() const;
};

/// All that replicas share, in one Secret:
///   server-cert.pem, server-key.pem   what is served
///   ca-cert.pem                       the bundle: all CAs that clients should trust
///   ca-key.pem                        the key of the CA that signs
///   current-ca-cert.pem, next-ca-cert.pem, next-ca-key.pem, previous-ca-cert.pem
///   rotation.json                     since when each is what it is
/// The first three as knative's webhooks have them: facts, knative-webhook.
class CertificateSet {
 public:
  struct Authority {
    http::KeyedCertificate pair;
    WallTime since;
  };

  /// Nothing where the Secret has none of the keys above. Errors name the key: `invalid` where it is missing
  /// or broken.
  static Result<std::optional<CertificateSet>> read(const k8s::Secret& secret);
  /// Writes all keys, and takes those away that there is nothing for; keys of others stay.
  void write(k8s::Secret& secret) const;

  /// The first set: an authority, and a certificate for the server.
  static Result<CertificateSet> make(const CertificatePolicy& policy, WallTime now);

  /// Has the authority replaced as if it were old: a next one is made, unless there is one.
  Result<void> begin_replacing_authority(const CertificatePolicy& policy, WallTime now);
  /// Does what is due: a next CA is made and enters the bundle; it becomes the one that signs when it has
  /// been there, and clients have trusted it, for the overlap; the one before leaves the bundle after the
  /// same time again; the server's certificate is made anew when it is old, ends soon, is not the current
  /// CA's or is for other names. A CA that has ended is replaced at once. `trusted_since`: since when all
  /// clients have this bundle; nothing where they do not. Returns whether anything changed.
  Result<bool> advance(const CertificatePolicy& policy, WallTime now, std::optional<WallTime> trusted_since);
  /// When something is due next.
  WallTime due(const CertificatePolicy& policy, std::optional<WallTime> trusted_since) const;

  const http::KeyedCertificate& serving() const { return serving_; }
  /// PEM of all CAs that clients should trust, in an order that does not change with what each is for:
  /// another text has API servers set up their clients anew.
  std::string bundle() const;
  const Authority& current() const { return current_; }
  const std::optional<Authority>& next() const { return next_; }
  /// Without its key: it signs nothing any more.
  const std::optional<Authority>& previous() const { return previous_; }

 private:
  Result<void> issue(const CertificatePolicy& policy, WallTime now);
  bool serving_is_due(const CertificatePolicy& policy, WallTime now) const;

  Authority current_;
  std::optional<Authority> next_, previous_;
  http::KeyedCertificate serving_;
  WallTime serving_since_;
};

}  // namespace fairway::kube
