// SPDX-License-Identifier: Apache-2.0

// Reading one key of FieldsV1.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/internal/apply/path_element.h"
#include "base/result.h"

namespace fairway::apiserver::apply::internal {

/// Reads `f:name`, `k:{...}`, `v:...`, `i:0`. std::nullopt for an unknown kind of element, which readers
/// leave out. Errors (`invalid`): no colon, JSON that cannot be read, an index that is no integer.
Result<std::optional<PathElement>> parse_path_element(std::string_view text);

}  // namespace fairway::apiserver::apply::internal
