// SPDX-License-Identifier: Apache-2.0

// Temporary files that an atomic write leaves behind when its process is killed.
#pragma once

#include <filesystem>

namespace fairway {

/// Removes the temporary files of `write_file_atomically(path)` that no process writes any more:
/// "NAME.XXXXXX" beside it, of six letters and digits. Files that cannot be opened or removed stay.
void remove_temporary_files(const std::filesystem::path& path);

}  // namespace fairway
