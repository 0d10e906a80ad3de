// SPDX-License-Identifier: Apache-2.0

// Signatures of tokens, as JSON Web Signatures have them (RFC 7518): ECDSA (ES256, ES384, ES512) and RSA
// (RS256).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::http {

/// A new private key of ECDSA P-256 (PEM, PKCS #8).
Result<std::string> make_signing_key();

/// A public key, which verifies signatures.
struct VerifyingKey {
  /// PEM, SubjectPublicKeyInfo; and the same in DER, to name the key by.
  std::string pem = {}, der = {};
  /// Algorithm of its signatures, by the name of RFC 7518: "ES256".
  std::string algorithm = {};
  /// Curve of an ECDSA key ("P-256") and its point, each number as long as those of the curve.
  std::string curve = {}, x = {}, y = {};
  /// Modulus and exponent of an RSA key, big-endian.
  std::string modulus = {}, exponent = {};
};

/// Returns the public keys of a PEM text: of its certificates, its public keys and its private keys, in their
/// order. Errors: `invalid` if there is none, or one is broken or neither RSA nor ECDSA of P-256, P-384 or
/// P-521.
Result<std::vector<VerifyingKey>> read_verifying_keys(std::string_view pem);

/// Signs `bytes` with the first private key of a PEM text, by the algorithm that its `VerifyingKey` has.
/// Errors: `invalid` if there is no private key without a password, or it has no such algorithm.
Result<std::string> sign(std::string_view private_key, std::string_view bytes);

/// Returns whether `signature` is one of `bytes` by the key's owner. A signature that cannot be read gives
/// false.
bool verify(const VerifyingKey& key, std::string_view bytes, std::string_view signature);

}  // namespace fairway::http
