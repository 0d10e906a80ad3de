// SPDX-License-Identifier: Apache-2.0

#include "http/internal/tls/signature_algorithm.h"

#include <openssl/core_names.h>

#include <array>
#include <string>

namespace fairway::http {
namespace {

/// Least size of an RSA key that Go's crypto/rsa signs and verifies with.
constexpr int least_rsa_bits = 1024;

constexpr std::array algorithms{
    SignatureAlgorithm{"ES256", "P-256", "prime256v1", 32, EVP_sha256},
    SignatureAlgorithm{"ES384", "P-384", "secp384r1", 48, EVP_sha384},
    SignatureAlgorithm{"ES512", "P-521", "secp521r1", 66, EVP_sha512},
    SignatureAlgorithm{"RS256", "", "", 0, EVP_sha256},
};

}  // namespace

const SignatureAlgorithm* algorithm_of(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    return EVP_PKEY_get_bits(key) >= least_rsa_bits ? &algorithms.back() : nullptr;
  }
  std::array<char, 64> group{};
  if (EVP_PKEY_is_a(key, "EC") != 1 ||
      EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(), nullptr) !=
          1) {
    return nullptr;
  }
  for (const SignatureAlgorithm& algorithm : algorithms) {
    if (!algorithm.curve.empty() && algorithm.openssl_name == group.data()) return &algorithm;
  }
  return nullptr;
}

Error unknown_algorithm(std::string_view what) {
  return {
      ErrorCode::invalid,
      "reading " + std::string(what) +
          ": it is neither RSA of at least 1024 bits nor ECDSA of P-256, P-384 or P-521; take one of those"};
}

}  // namespace fairway::http
