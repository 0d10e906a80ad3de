// What somebody who wrote a name that there is not may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::command_line {

/// The nearest of `names`, or "" if none is near (a third of its letters, and two, may differ).
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace fairway::command_line
