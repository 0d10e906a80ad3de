// Defaults that follow from other fields.
#pragma once

#include <string_view>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver {

/// Fills in those of one object, not of what is in it.
void apply_computed_defaults(json::Object& object, const MessageType& type);

/// Returns whether a member is not there, null, or what Go takes for not set: "", 0 of what is not a pointer.
bool is_unset(const json::Object& object, std::string_view name);

}  // namespace fairway::apiserver
