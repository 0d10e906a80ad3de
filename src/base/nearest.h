// SPDX-License-Identifier: Apache-2.0

// The nearest known name to one that does not exist: a suggestion after a typing error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway {

/// Returns the nearest of `names`, or "" if none is near (a third of its letters, and two, may differ).
std::string nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace fairway
