// SPDX-License-Identifier: Apache-2.0

// nghttp2's session as the server uses it: options, settings and the functions that it calls.
#pragma once

#include <nghttp2/nghttp2.h>

#include "http/server.h"

namespace fairway::http {

class Http2Session;

/// Makes a session that calls `owner`, with our settings on their way. Null: there is no memory.
nghttp2_session* make_server_session(Http2Session& owner, const ServerOptions& options);

}  // namespace fairway::http
