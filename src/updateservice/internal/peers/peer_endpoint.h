// SPDX-License-Identifier: Apache-2.0

// The port on which a replica tells the others what it holds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/server.h"
#include "updateservice/internal/peers/peer_answer.h"
#include "updateservice/service.h"

namespace fairway::updateservice {

inline constexpr const char* held_path = "/internal/held";

/// Returns the answer of this replica; nothing if it has not yet looked for it, or cannot give it.
using WhatIsHeld = std::function<std::optional<PeerAnswer>()>;

/// Returns the handler of `held_path`: 503 without an answer.
http::Router peer_router(WhatIsHeld held);

/// Returns the options of the port, for clients with the token. Its limits are those of replicas, which alone
/// ask there, and seldom.
http::ServerOptions peer_server_options(const PeerOptions& options);

}  // namespace fairway::updateservice
