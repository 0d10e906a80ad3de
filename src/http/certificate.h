// Certificates made here: an authority of one's own, and what it signs for a server. Keys are ECDSA P-256.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::http {

/// A certificate (PEM; with its chain, if it has one) and its private key (PEM, PKCS #8).
struct KeyedCertificate {
  std::string certificate, key;
  friend bool operator==(const KeyedCertificate&, const KeyedCertificate&) = default;
};

struct Validity {
  WallTime from, until;
};

/// An authority that may sign servers' certificates and nothing else. Its name is `name` and a few random
/// digits: two authorities of one owner, and an authority and what it signs, must never share a name, or
/// clients mix them up. facts: knative-webhook. Errors: `internal` where OpenSSL fails.
Result<KeyedCertificate> make_authority(const std::string& name, const Validity& validity);

/// A server's certificate for DNS names and IP addresses, signed by an authority, which is not sent along:
/// who trusts it has it. Errors: `invalid` where the authority cannot be read, its key is not its own, or
/// there is no name.
Result<KeyedCertificate> issue_certificate(const KeyedCertificate& authority, const std::string& common_name,
                                           const std::vector<std::string>& names, const Validity& validity);

/// What a certificate says.
struct CertificateFacts {
  /// RFC 2253: "CN=a,O=b".
  std::string subject, issuer;
  /// Hexadecimal.
  std::string serial, subject_key_id, authority_key_id;
  Validity validity;
  /// DNS names and IP addresses, in their order.
  std::vector<std::string> names;
  bool is_authority = false;
};

/// The certificates of a PEM text. Errors say what is wrong with `origin`: `invalid` where one is broken, or
/// there is none.
Result<std::vector<CertificateFacts>> read_certificates(std::string_view pem, const std::string& origin);

/// Checks that a key is its certificate's.
Result<void> check_key(const KeyedCertificate& pair, const std::string& origin);

/// Checks that a client that trusts `authorities` (PEM) takes the certificate for a server's of this name at
/// this time. The error says why not.
Result<void> check_trust(std::string_view certificate, std::string_view authorities, const std::string& name,
                         WallTime at);

}  // namespace fairway::http
