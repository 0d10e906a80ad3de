// SPDX-License-Identifier: Apache-2.0

// A secret that both ends of a connection have, in place of certificates.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace fairway::http {

/// Returns the secret. It is called for each new connection, so the secret may change; an error ends that
/// connection.
///
/// The ends speak TLS 1.3 with a pre-shared key and an ephemeral Diffie-Hellman exchange (RFC 8446, section
/// 2.2, psk_dhe_ke): each proves that it has the secret, nobody in between can read or answer for the other,
/// and recorded traffic stays secret from those who learn the secret later. A secret that people choose can
/// be guessed by anybody who connects to an end: use 32 random bytes.
using SharedKey = std::function<Result<std::string>()>;

}  // namespace fairway::http
