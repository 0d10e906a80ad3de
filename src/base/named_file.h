// SPDX-License-Identifier: Apache-2.0

// Writing files whose names users give.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace fairway {

/// Writes to a file that a user named, which may be a symbolic link, a device or a pipe. A regular file, or
/// one that is missing, is written as `write_file_atomically` does, and a link to it stays a link. A device
/// or a pipe is written in place; a pipe waits ten seconds for its reader. What a link of /proc leads to
/// (/dev/stdout) keeps what it has. The bytes may be secret: a pipe of another user, and a link that another
/// user made in a folder like /tmp, are refused (`forbidden`).
Result<void> write_named_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace fairway
