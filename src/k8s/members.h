// SPDX-License-Identifier: Apache-2.0

// Removes many members of a JSON object in one pass.
#pragma once

#include <functional>
#include <string_view>

#include "base/json.h"

namespace fairway::k8s {

/// Removes the members for whose keys `is_gone` returns true; the others keep their order. Linear time:
/// removing them one by one would be quadratic.
void erase_members(json::Object& object, const std::function<bool(std::string_view)>& is_gone);

}  // namespace fairway::k8s
