// SPDX-License-Identifier: Apache-2.0

// The OpenAPI 3.1 document of everything that the public port serves.
#pragma once

#include <string>

namespace fairway::updateservice {

/// Returns the document as JSON, every path prefixed with `path_prefix`.
std::string openapi_text(const std::string& path_prefix);

}  // namespace fairway::updateservice
