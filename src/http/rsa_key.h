// SPDX-License-Identifier: Apache-2.0

// Keys for clients that read no elliptic curves.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::http {

/// Makes an RSA key of 2048 bits (PEM, PKCS #8), in some 20 ms of two threads. Errors: `internal` if OpenSSL
/// fails.
Result<std::string> make_rsa_key();

}  // namespace fairway::http
