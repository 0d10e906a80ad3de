// SPDX-License-Identifier: Apache-2.0

// The two versions of OpenAPI that clients ask for.
#pragma once

#include <string>
#include <string_view>

namespace fairway::apiserver::openapi {

enum class Dialect {
  v2,  ///< Swagger 2.0, one document for everything
  v3,  ///< OpenAPI 3.0, a document for each group version
};

/// Returns a reference to a schema: "#/components/schemas/NAME", "#/definitions/NAME".
inline std::string reference_to(Dialect dialect, std::string_view name) {
  return (dialect == Dialect::v3 ? "#/components/schemas/" : "#/definitions/") + std::string(name);
}

}  // namespace fairway::apiserver::openapi
