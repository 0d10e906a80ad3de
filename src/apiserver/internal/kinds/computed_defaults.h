// SPDX-License-Identifier: Apache-2.0

// Defaults that follow from other fields.
#pragma once

#include <string_view>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::kinds {

/// Fills in the defaults of one object, not of the objects in it.
void apply_computed_defaults(json::Object& object, const MessageType& type);

/// Returns whether a member is absent, null, or not set for Go: "", or 0 of a field that is not a pointer.
bool is_unset(const json::Object& object, std::string_view name);

}  // namespace fairway::apiserver::kinds
