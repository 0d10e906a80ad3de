// SPDX-License-Identifier: Apache-2.0

// Streamed replies over WebSocket (RFC 6455), for clients that ask for them.
#pragma once

#include "http/message.h"

namespace fairway::http {

/// Returns whether a request asks to go on as a WebSocket.
bool asks_for_web_socket(const Request& request);

/// Returns the reply that turns the connection of such a request into a WebSocket. Each line of the stream
/// becomes a message of text; what the client sends is ignored, but for its pings and its close. A request
/// that is not one of version 13 with a key and an `Origin` is refused, with 400 or 403 and the stream let
/// go, and so is one with several protocols to choose from.
Response web_socket_reply(const Request& request, std::shared_ptr<Stream> stream);

}  // namespace fairway::http
