// SPDX-License-Identifier: Apache-2.0

// Backups: one file that is whole, and its way back.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "apiserver/internal/storage/files.h"
#include "apiserver/internal/storage/history.h"
#include "apiserver/internal/storage/storage.h"
#include "base/file_descriptor.h"

namespace fairway::apiserver::storage {

namespace {

/// Distance from a restored storage's revision to its next one, if that of the replaced storage is unknown:
/// more than any server writes between two backups. etcd's documentation names the same number.
constexpr Revision unknown_gap = 1'000'000'000;

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

Error system_error(const std::string& doing) {
  auto code =
      errno == EACCES || errno == EPERM || errno == EROFS ? ErrorCode::forbidden : ErrorCode::unavailable;
  return {code, doing + ": " + std::strerror(errno) + "; check the disk and the permissions of the folder"};
}

Result<void> sync_file(const std::filesystem::path& file) {
  FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return fail(system_error("syncing " + file.string()));
  return {};
}

/// Opens a database that exists, and is a storage. `in_use`: perhaps by this process. Then only SQLite may
/// open and close the file, as any other way would release its locks.
Result<Database> open_existing(const std::filesystem::path& file, bool in_use = false) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return fail(ErrorCode::not_found, "opening " + file.string() + ": there is no such file");
  }
  if (!in_use) {
    FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail(system_error("opening " + file.string()));
    if (auto ok = check_head(fd.get(), "opening " + file.string(), false); !ok) return fail(ok.error());
  }
  // Not read-only: a log that was left behind is recovered, and one that is in use needs its shared memory.
  auto database = Database::open(file.string(), SQLITE_OPEN_READWRITE, {});
  if (!database) return database;
  if (auto ours = check_application(*database, file.string()); !ours) return fail(ours.error());
  return database;
}

/// Writes one consistent state of `database`, whole and synced, as the file `to`, which must not exist.
Result<void> copy_to(Database& database, const std::filesystem::path& to) {
  std::string doing = "writing " + to.string();
  {
    // SQLite writes into an empty file that is there: so its mode is ours.
    FileDescriptor fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!fd) return fail(system_error(doing));
  }
  auto copy = [&]() -> Result<void> {
    auto vacuum = database.prepare("VACUUM INTO ?1", doing);
    if (!vacuum) return fail(vacuum.error());
    auto name = to.string();
    if (auto done = vacuum->bind(1, std::string_view(name)).run(); !done) return done;
    return sync_file(to);
  };
  auto done = copy();
  if (!done) ::unlink(to.c_str());
  return done;
}

/// Turns a copy of a backup into a storage that goes on above `replaced`; std::nullopt if that is unknown.
Result<void> make_next(const std::filesystem::path& file, std::optional<Revision> replaced) {
  auto database = open_existing(file);
  if (!database) return fail(database.error());
  if (auto ok = prepare_schema(*database, file.string()); !ok) return ok;
  if (auto ok = check_integrity(*database, file.string()); !ok) return ok;
  auto history = History::open(std::move(*database));
  if (!history) return fail(history.error());
  auto last = history->last_revision();
  if (!last) return fail(last.error());
  auto compacted = history->compacted();
  if (!compacted) return fail(compacted.error());
  auto own = std::max({*last, *compacted, Revision{1}});
  auto next = (replaced ? std::max(own, *replaced) : own + unknown_gap) + 1;
  auto work = [&]() -> Result<void> {
    if (auto ok = history->begin(); !ok) return ok;
    for (Revision done = *compacted; done < own;) {
      auto step = history->compact({.from = done,
                                    .upto = own,
                                    .before = INT64_MAX,
                                    .now = INT64_MAX,
                                    .most_changes = 10'000,
                                    .most_bytes = INT64_MAX});
      if (!step) return fail(step.error());
      done = step->done;
    }
    if (auto ok = history->set_value("compacted", std::to_string(next)); !ok) return ok;
    return history->commit();
  };
  if (auto done = work(); !done) {
    history->database().roll_back();
    return done;
  }
  return {};
}

Result<Revision> revision_of(const std::filesystem::path& file) {
  auto database = open_existing(file);
  if (!database) return fail(database.error());
  auto last = database->integer("SELECT max(revision) FROM changes", "reading " + file.string());
  if (!last) return last;
  auto compacted = database->integer(
      "SELECT CAST(CAST(value AS TEXT) AS INTEGER) FROM \"values\" WHERE name = 'compacted'",
      "reading " + file.string());
  if (!compacted) return compacted;
  return std::max(*last, *compacted);
}

}  // namespace

Result<void> backup_storage(const std::filesystem::path& file, const std::filesystem::path& to) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) {
    return fail(ErrorCode::conflict, "writing " + to.string() + ": there is such a file; name another one");
  }
  std::filesystem::path lock_path = file.string() + ".lock";
  // Whoever has used it has left this file. The lock is not kept: the server may start meanwhile.
  bool in_use = std::filesystem::exists(lock_path, error) && !LockFile::take(file);
  auto database = open_existing(file, in_use);
  if (!database) return fail(database.error());
  auto part = to.string() + ".part";
  ::unlink(part.c_str());
  if (auto done = copy_to(*database, part); !done) return done;
  const auto is_whole = [&]() -> Result<void> {
    auto copy = open_existing(part);
    if (!copy) return fail(copy.error());
    return check_integrity(*copy, part);
  };
  if (auto whole = is_whole(); !whole) {
    ::unlink(part.c_str());
    return whole;
  }
  if (::rename(part.c_str(), to.c_str()) != 0) return fail(system_error("writing " + to.string()));
  return sync_folder(folder_of(to));
}

Result<void> restore_storage(const std::filesystem::path& backup, const std::filesystem::path& file) {
  std::string doing = "restoring " + file.string();
  auto source = open_existing(backup);
  if (!source) return fail(source.error());
  std::error_code error;
  std::filesystem::create_directories(folder_of(file), error);
  auto lock = LockFile::take(file);
  if (!lock) return fail(lock.error());
  auto kept = file.string() + ".before-restore";
  if (std::filesystem::exists(kept, error)) {
    return fail(ErrorCode::conflict,
                doing + ": " + kept + " is there from an earlier restore; move it away first");
  }
  bool there = std::filesystem::exists(file, error);
  std::optional<Revision> replaced;
  if (there) {
    // Closing it copies its log into it, too.
    if (auto revision = revision_of(file)) replaced = *revision;
  }
  auto part = file.string() + ".restoring";
  ::unlink(part.c_str());
  if (auto done = copy_to(*source, part); !done) return done;
  auto ready = make_next(part, replaced);
  if (ready) ready = sync_file(part);
  if (!ready) {
    ::unlink(part.c_str());
    return ready;
  }
  if (there && ::link(file.c_str(), kept.c_str()) != 0) return fail(system_error(doing));
  // A log that is still there is of a database that could not be read, and must not be taken for the new
  // one's.
  for (const char* suffix : {"-wal", "-journal"}) {
    auto log = file.string() + suffix;
    if (std::filesystem::exists(log, error) && ::rename(log.c_str(), (kept + suffix).c_str()) != 0) {
      return fail(system_error(doing));
    }
  }
  ::unlink((file.string() + "-shm").c_str());
  if (::rename(part.c_str(), file.c_str()) != 0) return fail(system_error(doing));
  return sync_folder(folder_of(file));
}

}  // namespace fairway::apiserver::storage
