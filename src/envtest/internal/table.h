// SPDX-License-Identifier: Apache-2.0

// Tables of data: lines of words.
#pragma once

#include <string_view>
#include <vector>

namespace fairway::envtest {

/// Returns the lines of a table that are neither empty nor comments (#), in their order.
std::vector<std::string_view> rows_of(std::string_view table);

/// Takes the first word off a row, which is separated by one blank from the rest.
std::string_view take_word(std::string_view& row);

}  // namespace fairway::envtest
