// SPDX-License-Identifier: Apache-2.0

// The manual page of fairway itself, which leads to the others.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fairway::cli {

/// Returns the page fairway(1): all commands, and what all have in common. `date` stands at its foot.
std::string overview_page(const CLI::App& root, const std::string& date);

}  // namespace fairway::cli
