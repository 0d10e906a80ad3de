// SPDX-License-Identifier: Apache-2.0

// Go's `omitempty`, for values.
#pragma once

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::kinds {

/// Returns whether Go's `omitempty` omits a single value of the type: false, 0, no text. Structures are never
/// empty.
bool is_empty(FieldType type, const json::Value& value);

}  // namespace fairway::apiserver::kinds
