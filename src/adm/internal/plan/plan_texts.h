// SPDX-License-Identifier: Apache-2.0

// Texts of a plan, cut at bounds: what a service or a cluster says may have any length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "adm/plan/plan.h"

namespace fairway::adm {

/// Longest name or version, message, and URL or other text of one line that is shown, in bytes.
inline constexpr std::size_t max_name = 200, max_message = 1'000, max_line = 500;

/// Returns "1 update", "2 updates".
std::string counted(std::size_t count, std::string_view what);

/// Returns "A, B and 3 more".
std::string text_of(const RiskNames& names);

/// Returns a text of the service or the cluster, whose further lines are indented as the first one.
std::string paragraph(std::string_view text, std::size_t indent);

}  // namespace fairway::adm
