// SPDX-License-Identifier: Apache-2.0

// Random texts that a regular expression matches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::testing {

/// Returns a number below its argument, which is above 0.
using Below = std::function<std::uint64_t(std::uint64_t)>;

/// Returns a text that `pattern`, in RE2 syntax, is likely to match: assertions other than ^ and $ are not
/// looked at, so that the caller has to check. std::nullopt if the pattern has what this does not know, such
/// as Unicode classes.
std::optional<std::string> text_of_pattern(std::string_view pattern, const Below& below);

}  // namespace fairway::testing
