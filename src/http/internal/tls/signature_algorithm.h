// SPDX-License-Identifier: Apache-2.0

// The algorithm of a key's signatures in JSON Web Signatures (RFC 7518, 3.1).
#pragma once

#include <openssl/evp.h>

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

struct SignatureAlgorithm {
  std::string_view name;          ///< "ES256"
  std::string_view curve;         ///< name in RFC 7518: "P-256"; empty for RSA
  std::string_view openssl_name;  ///< OpenSSL's name of the curve
  std::size_t number_size = 0;    ///< bytes of a number of the curve; 0 for RSA
  const EVP_MD* (*digest)() = nullptr;
};

/// Returns the algorithm of a key; null for one that signs no tokens.
const SignatureAlgorithm* algorithm_of(const EVP_PKEY* key);

/// Makes the error for a key that has none.
Error unknown_algorithm(std::string_view what);

}  // namespace fairway::http
