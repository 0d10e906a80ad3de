// SPDX-License-Identifier: Apache-2.0

// The kind of a private key.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::http {

struct KeyFacts {
  /// "RSA", "EC", "ED25519", or another of OpenSSL's names.
  std::string algorithm = {};
  int bits = 0;
  /// Bits of an RSA key's public exponent.
  int exponent_bits = 0;
  /// The curve of an EC key, as NIST names it ("P-256"), or as OpenSSL does.
  std::string group = {};
};

/// The facts of a text's first private key (PEM, without password). Errors: `invalid` if there is none.
Result<KeyFacts> read_key_facts(std::string_view pem);

}  // namespace fairway::http
