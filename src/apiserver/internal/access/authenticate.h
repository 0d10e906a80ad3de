// Who sends a request.
#pragma once

#include <optional>

#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/access/user.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::access {

/// The user of the client certificate or, without one, of the bearer token. `tokens` may be null: no token is
/// known then. Errors (401): neither is there, or it is worth nothing. The reply does not tell which.
k8s::StatusResult<User> authenticate(const http::Request& request, const Tokens* tokens);

/// The user that a request seems to come from, by its certificate or by a token that has been let in lately:
/// enough to say whose turn it is, not to let anybody in. It is quick, and reads no storage. None: nobody who
/// is known.
std::optional<User> presumed_user(const http::Request& request, const Tokens* tokens);

}  // namespace fairway::apiserver::access
