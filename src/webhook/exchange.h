// SPDX-License-Identifier: Apache-2.0

// Common parts of webhooks that API servers call.
#pragma once

#include <optional>
#include <string_view>

#include "http/message.h"

namespace fairway::webhook {

/// A reply with a Status as body.
http::Response status_response(int http_status, std::string_view message);

/// The error reply if the Content-Type is not JSON (parameters are ignored), otherwise
/// std::nullopt.
std::optional<http::Response> refuse_media_type(const http::Request& request);

}  // namespace fairway::webhook
