// SPDX-License-Identifier: Apache-2.0

// One process at a time.
#pragma once

#include <filesystem>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace fairway::apiserver::storage {

/// A lock on "FILE.lock", which the system releases at the end of the process at the latest.
class LockFile {
 public:
  /// Takes the lock. Errors: `unavailable` if another process has it, with its id.
  static Result<LockFile> take(const std::filesystem::path& file);

 private:
  explicit LockFile(FileDescriptor fd) : fd_(std::move(fd)) {}
  FileDescriptor fd_;
};

}  // namespace fairway::apiserver::storage
