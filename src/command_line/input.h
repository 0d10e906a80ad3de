// What a command is given to read: a file, a pipe, or standard input.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace fairway::cli {

/// The bytes of standard input for "-", of a file, or of what is not one but can be read like one: a pipe, as
/// a shell's `<(...)` is, or /dev/stdin. More than `limit` is an error (`too_large`).
Result<std::string> read_input(const std::string& path, std::size_t limit = std::size_t{1} << 30);

/// Whether an argument that may be a text is the path of something that `read_input` takes.
bool is_input(const std::string& argument);

}  // namespace fairway::cli
