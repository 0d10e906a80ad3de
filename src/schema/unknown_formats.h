// SPDX-License-Identifier: Apache-2.0

// Formats that nobody checks.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// The values of `format` in a schema that the API server does not know for the type they stand at, so that
/// they have no effect; sorted, each once.
std::vector<std::string> unknown_formats(const json::Object& schema);

}  // namespace fairway::schema
