// SPDX-License-Identifier: Apache-2.0

// A lock on files below --data, held by one owner at a time.
#pragma once

#include <filesystem>
#include <utility>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/result.h"

namespace fairway::sources {

/// A lock held by one process at a time, and by one owner within it; released with its owner, also if that is
/// killed. On a file system without locks (flock(2)) every caller gets it.
class FileLock {
 public:
  /// Makes the file (and its folder), and waits for the lock. Errors: the file cannot be made, so what it
  /// protects cannot be made either (`unavailable`); `limits`, which are by `clock`, have expired while
  /// another owner has it (`deadline_exceeded`, `cancelled`).
  static Result<FileLock> take(const std::filesystem::path& file, const Limits& limits, Clock& clock);

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace fairway::sources
