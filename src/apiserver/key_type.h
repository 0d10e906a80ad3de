// SPDX-License-Identifier: Apache-2.0

// Types of private keys.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace fairway::apiserver {

/// The type of a private key.
enum class KeyType : std::uint8_t {
  ec,   ///< ECDSA P-256: made at once
  rsa,  ///< RSA of 2048 bits, which clients in Java read without further libraries
};

/// Parses "ec" and "rsa". Errors: `invalid`.
Result<KeyType> parse_key_type(std::string_view text);

}  // namespace fairway::apiserver
