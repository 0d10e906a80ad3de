// Users by client certificates.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/access/internal/user.h"

namespace fairway::apiserver::access {

/// The user of a client certificate: its common name, its organizations as groups, and system:authenticated.
/// `subject` is as RFC 2253 writes it. std::nullopt if it has no common name.
std::optional<User> user_of_subject(std::string_view subject);

}  // namespace fairway::apiserver::access
