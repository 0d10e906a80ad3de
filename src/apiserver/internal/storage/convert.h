// Database files of releases that could not give space back to the disk.
#pragma once

#include <filesystem>

#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// Makes a file whose free pages can be cut off (`auto_vacuum = INCREMENTAL`) of one that was made without.
/// It writes a whole new file beside it and puts it in its place: a process that is killed meanwhile leaves
/// the old one. Where that is impossible (no room on the disk, somebody reads the file) it logs a warning and
/// leaves the file as it is. The lock of the file has to be held.
void convert_file(const std::filesystem::path& file, const StorageOptions& options);

}  // namespace fairway::apiserver::storage
