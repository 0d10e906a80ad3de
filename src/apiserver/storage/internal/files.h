// Database files: opened, locked and checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "apiserver/storage/internal/database.h"
#include "apiserver/storage/internal/lock_file.h"

namespace fairway::apiserver::storage {

struct OpenedFile {
  Database database;  ///< of the newest schema, checked; in WAL mode, durable at each COMMIT
  std::optional<LockFile> lock;
};

/// As `open_storage`. With a VFS of a test's own nothing is done around it: no folder, no lock.
Result<OpenedFile> open_file(const std::filesystem::path& file, const std::string& vfs);

}  // namespace fairway::apiserver::storage
