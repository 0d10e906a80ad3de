// What lies below --data, used by one at a time.
#pragma once

#include <filesystem>
#include <utility>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/result.h"

namespace fairway::sources {

/// Held by one process at a time, and by one owner within it; gone with its owner, also where that is killed.
/// On a file system without locks (flock(2)) everybody has it.
class FileLock {
 public:
  /// Makes the file (and its folder), and waits for the lock. Errors: the file cannot be made, and what it
  /// stands for neither (`unavailable`); `limits`, which are by `clock`, have passed while another has it
  /// (`deadline_exceeded`, `cancelled`).
  static Result<FileLock> take(const std::filesystem::path& file, const Limits& limits, Clock& clock);

 private:
  explicit FileLock(FileDescriptor file) : file_(std::move(file)) {}
  FileDescriptor file_;
};

}  // namespace fairway::sources
