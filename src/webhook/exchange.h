// What every webhook that an API server calls has in common.
#pragma once

#include <optional>
#include <string_view>

#include "http/message.h"

namespace fairway::kube {

/// A Status as the body, as API servers read it.
http::Response status_response(int http_status, std::string_view message);

/// The reply to a call whose body is not JSON by its Content-Type (parameters do not matter), else nothing.
std::optional<http::Response> refuse_media_type(const http::Request& request);

}  // namespace fairway::kube
