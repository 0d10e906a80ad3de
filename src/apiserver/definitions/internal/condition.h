// Conditions of CustomResourceDefinitions.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace fairway::apiserver::definitions {

/// Sets a condition in the status of a definition; its time changes with its status.
void set_condition(json::Object& definition, std::string_view type, bool is_true, std::string_view reason,
                   std::string_view message, WallTime now);

}  // namespace fairway::apiserver::definitions
