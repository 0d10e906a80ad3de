// SPDX-License-Identifier: Apache-2.0

// Database files of releases that could not give space back to the disk.
#pragma once

#include <filesystem>

#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// Converts a file that was made without `auto_vacuum = INCREMENTAL`, so that its free pages can be cut off.
/// It writes a whole new file beside it and puts it in its place: a process that is killed meanwhile leaves
/// the old one. If that is impossible (no room on the disk, somebody reads the file), it logs a warning and
/// leaves the file as it is. The lock of the file has to be held.
void convert_file(const std::filesystem::path& file, const StorageOptions& options);

}  // namespace fairway::apiserver::storage
