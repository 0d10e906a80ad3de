// SPDX-License-Identifier: Apache-2.0

// Random primes for RSA keys.
#pragma once

#include <openssl/bn.h>

#include "http/internal/tls/pem.h"

namespace fairway::http {

/// A number that is wiped when it is no longer used.
using Number = Owned<BIGNUM>;
/// Returns a new number; none if there is no memory.
Number number();

/// Returns a random prime of `bits` bits, the upper two set, so that a product of two has all of them.
/// `exponent`, a prime, does not divide the number before it. None if OpenSSL fails.
Number random_prime(int bits, BN_ULONG exponent);

}  // namespace fairway::http
