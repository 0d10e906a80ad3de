// SPDX-License-Identifier: Apache-2.0

// A program as a converter: `CMD convert VERSION`.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "conversion/check/conversion_check.h"

namespace fairway::cli {

/// Returns a converter that runs `words convert VERSION`, which programs with converters of their own have
/// (docs/conversion.md): it is given a List as JSON, and prints the converted one. Exit code 1 refuses the
/// objects, with the last line of standard error as the reason.
conversion::AskConverter ask_program(std::vector<std::string> words, std::stop_token stop = {});

}  // namespace fairway::cli
