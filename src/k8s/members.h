// Removing many members of a JSON object at once.
#pragma once

#include <functional>
#include <string_view>

#include "base/json.h"

namespace fairway::k8s {

/// Removes the members whose keys `is_gone` says; the others keep their order. One pass, however many there
/// are: removing them one by one would take the square of that.
void erase_members(json::Object& object, const std::function<bool(std::string_view)>& is_gone);

}  // namespace fairway::k8s
