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

/// What this replica has to say; nothing while it has not yet looked for it, or cannot give it.
using WhatIsHeld = std::function<std::optional<PeerAnswer>()>;

/// The handler of `held_path`: 503 where there is nothing to say.
http::Router peer_router(WhatIsHeld held);

/// The port, for whoever has the token; its limits: replicas alone ask there, and seldom.
http::ServerOptions peer_server_options(const PeerOptions& options);

}  // namespace fairway::updateservice
