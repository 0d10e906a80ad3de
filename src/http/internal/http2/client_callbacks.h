// SPDX-License-Identifier: Apache-2.0

// nghttp2's session as the client uses it.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>

namespace fairway::http {

class Http2Connection;
struct Http2Exchange;

/// Makes a session that calls `owner`, with our settings on their way. Null: there is no memory.
nghttp2_session* make_client_session(Http2Connection& owner);

/// Returns the source of a call's body.
nghttp2_data_provider body_of(Http2Exchange& exchange);

}  // namespace fairway::http
