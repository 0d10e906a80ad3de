// SPDX-License-Identifier: Apache-2.0

// The error of kubectl and oc for a flag whose value cannot be read.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <vector>

#include "adm/answer.h"

namespace fairway::cli {

/// Returns the error for the first word that gives a flag of `adm upgrade`, or of a command below it, a value
/// that is neither true nor false: `--to-latest=maybe`. `words` has the program's name first.
std::optional<adm::CommandResult> refuse_flag_values(const CLI::App& app, const std::vector<char*>& words);

}  // namespace fairway::cli
