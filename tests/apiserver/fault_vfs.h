// SPDX-License-Identifier: Apache-2.0

// A file system in memory for SQLite that loses what was not synced, and fails operations on demand.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace fairway::apiserver::storage {

class FaultVfs {
 public:
  enum class Operation { open, read, write, truncate, sync, remove, share };

  /// Registers itself under `name()`.
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  /// Sets a function that is called before each operation, with its number since the start; any result other
  /// than SQLITE_OK fails the operation. It is called one at a time, and may call `power_loss`.
  void on_operation(std::function<int(Operation operation, std::uint64_t number)> hook);
  std::uint64_t operations() const;
  /// Sets the capacity; writes beyond it fail as on a full disk.
  void set_capacity(std::size_t bytes);

  /// Content of the disk if the power is lost now: all synced data, and of the rest some writes, some of them
  /// torn. Call it from within a hook, or when nothing runs.
  using Disk = std::map<std::string, std::string>;
  Disk power_loss(std::mt19937_64& random) const;
  /// Returns the content of the disk as `power_loss` does, while other threads go on.
  Disk power_loss_now(std::mt19937_64& random) const;
  /// Replaces all files; nothing may be open.
  void replace(Disk disk);

  struct Handle;
  struct File;

 private:
  friend struct FaultVfsMethods;
  int check(Operation operation);

  std::string name_;
  sqlite3_vfs vfs_{};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<File>> files_;
  Disk removed_;  ///< files whose removal is not durable
  std::function<int(Operation, std::uint64_t)> hook_;
  std::uint64_t operations_ = 0;
  std::size_t capacity_ = SIZE_MAX;
};

}  // namespace fairway::apiserver::storage
