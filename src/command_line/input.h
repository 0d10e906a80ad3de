// SPDX-License-Identifier: Apache-2.0

// Input of commands: a file, a pipe, or standard input.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace fairway::command_line {

/// Reads standard input for "-", a file, or something that can be read like one: a pipe, such as a shell's
/// `<(...)`, or /dev/stdin. More than `limit` is an error (`too_large`).
Result<std::string> read_input(const std::string& path, std::size_t limit = std::size_t{1} << 30);

/// Returns whether an argument, which may also be literal text, is a path that `read_input` can read.
bool is_input(const std::string& argument);

}  // namespace fairway::command_line
