// Database files: opened, locked and checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apiserver/internal/storage/database.h"
#include "apiserver/internal/storage/lock_file.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// The folder's entries are durable.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Errors: `invalid` unless it is a file of SQLite's. SQLite itself writes over a short file, and deletes the
/// log of one that it cannot read.
Result<void> check_head(int fd, const std::string& doing, bool may_be_empty);

struct OpenedFile {
  Database database;  ///< of the newest schema, checked; in WAL mode, durable at each COMMIT
  std::optional<LockFile> lock;
};

/// As `open_storage`. With a VFS of a test's own nothing is done around it: no folder, no lock.
Result<OpenedFile> open_file(const std::filesystem::path& file, const StorageOptions& options);

}  // namespace fairway::apiserver::storage
