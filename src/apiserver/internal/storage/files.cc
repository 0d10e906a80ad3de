// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "apiserver/internal/storage/convert.h"
#include "apiserver/internal/storage/history.h"
#include "apiserver/internal/storage/quota.h"
#include "base/file.h"
#include "base/file_descriptor.h"

namespace fairway::apiserver::storage {

namespace {

Error system_error(const std::string& doing, const std::string& advice) {
  auto code =
      errno == EACCES || errno == EPERM || errno == EROFS ? ErrorCode::forbidden : ErrorCode::unavailable;
  return {code, doing + ": " + std::strerror(errno) + "; " + advice};
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// Makes the file's folder, accessible to its owner only.
Result<void> make_folder(const std::filesystem::path& file) {
  std::string doing = "opening " + file.string();
  auto folder = folder_of(file);
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      return fail(system_error(doing, "check the permissions of the folder above it"));
    }
  }
  return {};
}

/// Returns the bytes of a database with our tables and nothing in them.
Result<std::string> empty_database(const std::string& doing) {
  auto database = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, {});
  if (!database) return fail(database.error());
  if (auto made = prepare_schema(*database, doing); !made) return fail(made.error());
  sqlite3_int64 size = 0;
  std::unique_ptr<unsigned char, void (*)(void*)> bytes(sqlite3_serialize(database->get(), "main", &size, 0),
                                                        sqlite3_free);
  if (bytes == nullptr || size < 100) return fail(ErrorCode::internal, doing + ": out of memory");
  // Its header says WAL: https://www.sqlite.org/fileformat.html, "File format version numbers".
  bytes.get()[18] = bytes.get()[19] = 2;
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

/// Makes the file, accessible to its owner only: SQLite gives its other files the same mode. A new file is
/// complete or absent, and costs two syncs; SQLite would need many. The lock has to be held: closing a file
/// that this process has open in SQLite would release SQLite's own locks.
Result<void> make_file(const std::filesystem::path& file) {
  std::string doing = "opening " + file.string();
  FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (fd) return check_head(fd.get(), doing, true);
  if (errno != ENOENT) return fail(system_error(doing, "give the user of this process write permission"));
  auto bytes = empty_database(doing);
  if (!bytes) return fail(bytes.error());
  return write_file_atomically(file, *bytes);
}

/// Settings of a connection. The log is synced at each COMMIT (FULL).
constexpr const char* settings = R"(
PRAGMA synchronous = FULL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -8192;
)";

}  // namespace

Result<void> sync_folder(const std::filesystem::path& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) {
    return fail(system_error("syncing the folder " + folder.string(), "check the disk"));
  }
  return {};
}

Result<void> check_head(int fd, const std::string& doing, bool may_be_empty) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  std::array<char, 16> head{};
  auto size = ::pread(fd, head.data(), head.size(), 0);
  if (size < 0) return fail(system_error(doing, "check the disk"));
  if (size == 0 && may_be_empty) return {};
  if (std::string_view(head.data(), static_cast<std::size_t>(size)) == magic) return {};
  return fail(sqlite_error(nullptr, SQLITE_NOTADB, doing));
}

Result<OpenedFile> open_file(const std::filesystem::path& file, const StorageOptions& options) {
  const auto& vfs = options.vfs;
  std::optional<LockFile> lock;
  std::string doing = "opening " + file.string();
  if (vfs.empty()) {
    if (auto made = make_folder(file); !made) return fail(made.error());
    auto taken = LockFile::take(file);
    if (!taken) return fail(taken.error());
    lock = std::move(*taken);
    if (auto made = make_file(file); !made) return fail(made.error());
    convert_file(file, options);
  }
  auto database = Database::open(file.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
  if (!database) return fail(database.error());
  {
    auto mode = database->prepare("PRAGMA journal_mode = WAL", doing);
    if (!mode) return fail(mode.error());
    auto row = mode->step();
    if (!row) return fail(row.error());
    if (!*row || mode->text(0) != "wal") {
      return fail(ErrorCode::unsupported,
                  doing +
                      ": its file system cannot share memory between processes, which "
                      "SQLite's log needs; choose a local disk");
    }
  }
  if (auto ok = database->execute(settings, doing); !ok) return fail(ok.error());
  if (!options.durable) {
    if (auto ok = database->execute("PRAGMA synchronous = OFF", doing); !ok) return fail(ok.error());
  }
  // The log counts for the quota, too.
  const Quota quota(options.disk_quota);
  const std::string limit = "PRAGMA journal_size_limit = " + std::to_string(quota.most_log_bytes());
  if (auto ok = database->execute(limit.c_str(), doing); !ok) return fail(ok.error());
  sqlite3_wal_autocheckpoint(database->get(), quota.checkpoint_pages(options.checkpoint_pages));
  if (auto ok = prepare_schema(*database, file.string()); !ok) return fail(ok.error());
  if (auto ok = check_integrity(*database, file.string()); !ok) return fail(ok.error());
  return OpenedFile{std::move(*database), std::move(lock)};
}

}  // namespace fairway::apiserver::storage
