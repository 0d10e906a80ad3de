// Users by client certificates.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/internal/access/user.h"
#include "http/message.h"

namespace fairway::apiserver::access {

/// The user of a client certificate: its common name (the last of several), its organizations as groups, and
/// system:authenticated; and the uid, where the attribute 1.3.6.1.4.1.57683.2 is there. `subject` is as RFC
/// 2253 writes it. std::nullopt if it has no common name, or a uid that is empty, no text or there twice.
std::optional<User> user_of_subject(std::string_view subject);

/// The user of the client certificate that TLS has verified, and which one that was
/// (`credential_id_key`). std::nullopt where there is none, and as `user_of_subject`.
std::optional<User> user_of_certificate(const http::Peer& peer);

}  // namespace fairway::apiserver::access
