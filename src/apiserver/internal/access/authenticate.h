// SPDX-License-Identifier: Apache-2.0

// Authentication: the user of a request, by client certificate or bearer token.
#pragma once

#include <optional>

#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/access/user.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::access {

/// Returns the user of the client certificate or, without one, of the bearer token. `tokens` may be null: no
/// token is known then. Errors (401): neither is sent, or it is not valid. The reply does not say which.
k8s::StatusResult<User> authenticate(const http::Request& request, const Tokens* tokens);

/// Returns the user that a request seems to come from, by its certificate or by a token that was accepted
/// lately. That is enough to choose the request's flow, but authenticates nobody. It is quick and reads no
/// storage. std::nullopt: the user is not known.
std::optional<User> presumed_user(const http::Request& request, const Tokens* tokens);

}  // namespace fairway::apiserver::access
