// SPDX-License-Identifier: Apache-2.0

// Database files: opened, locked and checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apiserver/internal/storage/database.h"
#include "apiserver/internal/storage/lock_file.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// Makes the folder's entries durable.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Checks the head of a file. Errors: `invalid` unless it is a file of SQLite's. SQLite itself writes over a
/// short file, and deletes the log of one that it cannot read.
Result<void> check_head(int fd, const std::string& doing, bool may_be_empty);

struct OpenedFile {
  Database database;  ///< has the newest schema, checked; in WAL mode, durable at each COMMIT
  std::optional<LockFile> lock;
};

/// Opens a file as `open_storage` does. With a VFS of a test, there is no folder and no lock.
Result<OpenedFile> open_file(const std::filesystem::path& file, const StorageOptions& options);

}  // namespace fairway::apiserver::storage
