// SPDX-License-Identifier: Apache-2.0

// Users by client certificates.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/internal/access/user.h"
#include "http/message.h"

namespace fairway::apiserver::access {

/// Returns the user of a client certificate. The name is its common name (the last of several). The groups
/// are its organizations and system:authenticated. The uid is the attribute 1.3.6.1.4.1.57683.2, if present.
/// `subject` is as RFC 2253 writes it. std::nullopt if it has no common name, or a uid that is empty, no text
/// or present twice.
std::optional<User> user_of_subject(std::string_view subject);

/// Returns the user of the client certificate that TLS has verified, with the certificate's id
/// (`credential_id_key`). std::nullopt if there is none, and where `user_of_subject` returns it.
std::optional<User> user_of_certificate(const http::Peer& peer);

}  // namespace fairway::apiserver::access
