// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/convert.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "apiserver/internal/storage/files.h"
#include "apiserver/internal/storage/history.h"
#include "apiserver/internal/storage/row_bytes.h"
#include "base/file_descriptor.h"
#include "base/log.h"

namespace fairway::apiserver::storage {

namespace {

/// Space that is left free on the disk besides the new file.
constexpr std::uint64_t margin = std::uint64_t{16} << 20;

std::uint64_t free_bytes(const std::filesystem::path& folder, const StorageOptions& options) {
  if (options.free_bytes) return options.free_bytes(folder);
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  return error ? 0 : space.available;
}

Error system_error(const std::string& doing) {
  return {ErrorCode::unavailable, doing + ": " + std::strerror(errno)};
}

/// Returns the number of changes, and the newest revision.
Result<std::pair<std::int64_t, std::int64_t>> extent(Database& database, const std::string& doing) {
  auto count = database.integer("SELECT count(*) FROM changes", doing);
  if (!count) return fail(count.error());
  auto last = database.integer("SELECT max(revision) FROM changes", doing);
  if (!last) return fail(last.error());
  return std::pair(*count, *last);
}

/// Ends the use of the log and keeps others out. Otherwise a process that has the old file open could take
/// the log of the new one for its own.
Result<void> take_alone(Database& database, const std::string& doing) {
  if (auto ok = database.execute("PRAGMA locking_mode = EXCLUSIVE", doing); !ok) return ok;
  sqlite3_busy_timeout(database.get(), 0);
  auto mode = database.prepare("PRAGMA journal_mode = DELETE", doing);
  if (!mode) return fail(mode.error());
  auto row = mode->step();
  if (!row) return fail(row.error());
  if (*row && mode->text(0) == "delete") return {};
  return fail(ErrorCode::unavailable, doing + ": another process reads it");
}

/// Writes the whole database into the new file `to`, and checks it.
Result<void> write_converted(Database& database, const std::string& to, const std::string& doing) {
  {
    FileDescriptor fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return fail(system_error(doing));
  }
  auto vacuum = database.prepare("VACUUM INTO ?1", doing);
  if (!vacuum) return fail(vacuum.error());
  if (auto done = vacuum->bind(1, std::string_view(to)).run(); !done) return done;
  {
    FileDescriptor fd(::open(to.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0) return fail(system_error(doing));
  }
  auto copy = Database::open(to, SQLITE_OPEN_READWRITE, {});
  if (!copy) return fail(copy.error());
  if (auto whole = check_integrity(*copy, to); !whole) return whole;
  const auto before = extent(database, doing), after = extent(*copy, doing);
  if (!before) return fail(before.error());
  if (!after) return fail(after.error());
  if (*before != *after) return fail(ErrorCode::internal, doing + ": the copy has other changes");
  return {};
}

Result<void> convert(const std::filesystem::path& file, const StorageOptions& options) {
  const std::string doing = "converting " + file.string();
  auto database = Database::open(file.string(), SQLITE_OPEN_READWRITE, {});
  if (!database) return fail(database.error());
  auto version = database->integer("PRAGMA user_version", doing);
  if (!version) return fail(version.error());
  auto kind = database->integer("PRAGMA auto_vacuum", doing);
  if (!kind) return fail(kind.error());
  // Of a new one, or of one that is refused: whoever opens it next says so.
  if (*version == 0 || *version > schema_version || *kind != 0 ||
      !check_application(*database, file.string()))
    return {};
  auto pages = database->integer("PRAGMA page_count", doing),
       unused = database->integer("PRAGMA freelist_count", doing);
  if (!pages) return fail(pages.error());
  if (!unused) return fail(unused.error());
  const auto needed = static_cast<std::uint64_t>((*pages - *unused) * page_bytes) + margin;
  const auto there = free_bytes(file.parent_path().empty() ? "." : file.parent_path(), options);
  if (there < needed) {
    return fail(ErrorCode::unavailable, doing + ": it needs " + std::to_string(needed) +
                                            " bytes beside it, and there are " + std::to_string(there) +
                                            "; free some space, and start the server again");
  }
  if (auto whole = check_integrity(*database, file.string()); !whole) return whole;
  log::info("the database of an older release is converted, so that it can give space back",
            {{"file", file.string()}, {"bytes", (*pages - *unused) * page_bytes}});
  if (auto ok = take_alone(*database, doing); !ok) return ok;
  const std::string part = file.string() + ".converting";
  if (auto written = write_converted(*database, part, doing); !written) {
    ::unlink(part.c_str());
    return written;
  }
  if (::rename(part.c_str(), file.c_str()) != 0) {
    auto error = system_error(doing);
    ::unlink(part.c_str());
    return fail(std::move(error));
  }
  return sync_folder(file.parent_path().empty() ? "." : file.parent_path());
}

}  // namespace

void convert_file(const std::filesystem::path& file, const StorageOptions& options) {
  std::error_code error;
  // Not the link, where it is one.
  auto real = std::filesystem::canonical(file, error);
  if (error) return;
  // Of a process that was killed.
  for (const char* suffix : {".converting", ".converting-journal"})
    ::unlink((real.string() + suffix).c_str());
  if (auto done = convert(real, options); !done) {
    log::warning(
        "the database stays as an older release made it: its file does not shrink, free space in it is used "
        "again",
        {{"error", done.error().message}});
  }
}

}  // namespace fairway::apiserver::storage
