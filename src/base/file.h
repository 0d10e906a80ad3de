// SPDX-License-Identifier: Apache-2.0

// Reading and writing whole files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway {

/// The bytes of a regular file, at most `limit` of them; more is an error (`too_large`).
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

/// Writes a file so that a reader, or a power loss, sees the old bytes or the new ones: temporary file,
/// fsync, rename, fsync of the folder. Missing folders are created. The file is readable by its owner only
/// (0600), as it may hold secrets.
Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace fairway
