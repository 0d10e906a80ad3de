// SPDX-License-Identifier: Apache-2.0

// Numbers that may be percentages: maxSurge, maxUnavailable.
#pragma once

#include <cstdint>
#include <string_view>

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Checks that a member is no negative number, or a percentage. An absent one is 0.
void check_count_or_percent(const Scope& scope, std::string_view name);
/// Checks that a percentage is at most 100.
void check_at_most_all(const Scope& scope, std::string_view name);
/// Returns the number, or that of the percentage; 0 for any other text.
std::int64_t count_or_percent(const Scope& scope, std::string_view name);

}  // namespace fairway::apiserver::validation
