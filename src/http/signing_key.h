// SPDX-License-Identifier: Apache-2.0

// Signatures of tokens: ECDSA P-256 with SHA-256, as JSON Web Signatures have them (ES256).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

/// A new private key (PEM, PKCS #8).
Result<std::string> make_signing_key();

/// Returns the public key of a private one (PEM, SubjectPublicKeyInfo). Errors: `invalid` if it is no key of
/// P-256.
Result<std::string> public_key_of(std::string_view private_key);

/// The signature of `bytes`: 64 bytes, r and s (RFC 7518, 3.4). Errors: `invalid` if the key is none of
/// P-256.
Result<std::string> sign_es256(std::string_view private_key, std::string_view bytes);

/// Returns whether `signature` is one of `bytes`. A key or signature that cannot be read gives false. `key`
/// is a public or a private key.
bool verify_es256(std::string_view key, std::string_view bytes, std::string_view signature);

/// The point of the key, 32 bytes each, for a JSON Web Key; and the public key in DER, to name it by.
struct PublicKeyParts {
  std::string x = {}, y = {}, der = {};
};
/// Returns the parts of a public key, or of the public half of a private one. Errors: `invalid` if it is no
/// key of P-256.
Result<PublicKeyParts> public_key_parts(std::string_view key);

}  // namespace fairway::http
