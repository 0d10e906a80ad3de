// SPDX-License-Identifier: Apache-2.0

// Named formats: format.dns1123Label().
#pragma once

#include <cstdint>
#include <string_view>

#include "cel/values/value.h"

namespace fairway::cel {

/// Returns the length that the cost of `validate` assumes for the format's regular expression.
std::uint64_t format_pattern_size(const Opaque& format);
std::string_view format_name(const Opaque& format);

}  // namespace fairway::cel
