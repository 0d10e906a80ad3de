// SPDX-License-Identifier: Apache-2.0

// Issuing certificates: a private CA, and certificates of servers and clients that it signs. Keys that are
// made here are ECDSA P-256.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::http {

/// A certificate (PEM; with its chain, if it has one) and its private key (PEM, PKCS #8).
struct KeyedCertificate {
  std::string certificate = {}, key = {};
  friend bool operator==(const KeyedCertificate&, const KeyedCertificate&) = default;
};

struct Validity {
  WallTime from = {}, until = {};
};

/// A CA that may sign certificates of servers and clients and nothing else. Its common name is `name` and
/// random digits: OpenSSL builds chains by name, so two CAs of one owner, or a CA and a certificate that it
/// signed, must not share one. Errors: `internal` if OpenSSL fails.
Result<KeyedCertificate> make_authority(const std::string& name, const Validity& validity);

/// A server certificate for DNS names and IP addresses, signed by a CA. The CA is not part of the chain:
/// clients have it in their trust store. Errors: `invalid` if the CA cannot be read, its key does not match,
/// or `names` is empty.
Result<KeyedCertificate> issue_certificate(const KeyedCertificate& authority, const std::string& common_name,
                                           const std::vector<std::string>& names, const Validity& validity);

/// A client certificate, signed by a CA. Kubernetes takes the common name for the user, and the organizations
/// for the user's groups. `key`: the client's private key (PEM); empty: a new one. Errors: `invalid` if the
/// CA or the key cannot be read, the CA's key does not match, or a name is empty or longer than X.509 allows
/// (64).
Result<KeyedCertificate> issue_client_certificate(const KeyedCertificate& authority,
                                                  const std::string& common_name,
                                                  const std::vector<std::string>& organizations,
                                                  const Validity& validity, std::string_view key = {});

/// The fields of a certificate.
struct CertificateFacts {
  /// RFC 2253: "CN=a,O=b".
  std::string subject = {}, issuer = {};
  /// Hexadecimal.
  std::string serial = {}, subject_key_id = {}, authority_key_id = {};
  Validity validity = {};
  /// Subject alternative names: DNS names and IP addresses, in order.
  std::vector<std::string> names = {};
  bool is_authority = false;
  /// True if its key may sign, as TLS asks of an EC key: it has no keyUsage, or one with digitalSignature.
  bool may_sign = true;
  /// True if clients must expect an OCSP response with it (RFC 7633, "must-staple").
  bool must_staple = false;
};

/// The certificates of a PEM text. Errors name `origin`: `invalid` if one cannot be parsed, or there is
/// none.
Result<std::vector<CertificateFacts>> read_certificates(std::string_view pem, const std::string& origin);
/// Returns the certificates of a PEM text, encoded anew, and nothing else that it holds: a file of
/// certificates may have a private key beside them. Errors are those of `read_certificates`.
Result<std::string> certificates_alone(std::string_view pem, const std::string& origin);

/// Checks that the private key matches the certificate.
Result<void> check_key(const KeyedCertificate& pair, const std::string& origin);

/// Verifies the certificate for a server of this name at this time, as a client that trusts `authorities`
/// (PEM) would. The error says why it is rejected.
Result<void> check_trust(std::string_view certificate, std::string_view authorities, const std::string& name,
                         WallTime at);

}  // namespace fairway::http
