// SPDX-License-Identifier: Apache-2.0

// string.format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace fairway::cel {

/// Replaces %s, %d, %f, %e, %b, %o, %x and %X, with ".N" digits for %f and %e. std::nullopt, with the error
/// in `wrong`, for another verb, too few items, or an item that a verb does not take.
std::optional<std::string> format_text(std::string_view format, const Value& items, Scratch& scratch,
                                       std::string& wrong);

}  // namespace fairway::cel
