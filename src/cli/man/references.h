// SPDX-License-Identifier: Apache-2.0

// The pages of the documentation that a manual page refers to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::cli {

/// Returns the pages about a command, by its name below fairway ("adm"): "docs/adm-upgrade.md".
std::vector<std::string_view> pages_about(std::string_view command);
/// Returns the page about a group of a command's flags, as --help names it; "" if there is none beside the
/// command's own.
std::string_view page_about_flags(std::string_view command, std::string_view group);

}  // namespace fairway::cli
