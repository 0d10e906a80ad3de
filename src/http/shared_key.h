// A secret that both ends of a connection have, in place of certificates.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace fairway::http {

/// Gives the secret. It is asked for with each new connection, so the secret may change; an error ends that
/// connection.
///
/// The ends speak TLS 1.3 with a pre-shared key and an ephemeral Diffie-Hellman exchange (RFC 8446, section
/// 2.2, psk_dhe_ke): each proves to have the secret, nobody on the way reads what is said or answers in the
/// other's place, and whoever learns the secret later cannot read what was recorded before. A secret that
/// people choose can be guessed by whoever talks to an end: take 32 random bytes.
using SharedKey = std::function<Result<std::string>()>;

}  // namespace fairway::http
