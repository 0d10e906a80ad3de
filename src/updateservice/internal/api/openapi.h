// The OpenAPI 3.1 document of everything that the public port serves.
#pragma once

#include <string>

namespace fairway::updateservice {

/// The document as JSON, every path with `path_prefix` in front.
std::string openapi_text(const std::string& path_prefix);

}  // namespace fairway::updateservice
