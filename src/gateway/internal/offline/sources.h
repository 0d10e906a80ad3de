// SPDX-License-Identifier: Apache-2.0

// Objects out of files.
#pragma once

#include <vector>

#include "base/result.h"
#include "gateway/check.h"
#include "gateway/internal/objects/objects.h"

namespace fairway::gateway {

/// Reads YAML or JSON; Lists are taken apart. Errors name the file and line of text that cannot be read, or
/// of a document that is not an object.
Result<Objects> read_sources(const std::vector<SourceText>& sources);

}  // namespace fairway::gateway
