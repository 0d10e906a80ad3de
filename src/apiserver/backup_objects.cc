// SPDX-License-Identifier: Apache-2.0

#include "apiserver/backup_objects.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "apiserver/internal/storage/files.h"
#include "apiserver/internal/storage/history.h"
#include "base/file_descriptor.h"

namespace fairway::apiserver {

namespace {

using storage::Database;

Result<Database> open_to_read(const std::filesystem::path& file) {
  const std::string doing = "opening " + file.string();
  std::error_code error;
  const bool is_there = std::filesystem::exists(file, error);
  if (!is_there) return fail(ErrorCode::not_found, doing + ": there is no such file");
  if (!std::filesystem::is_regular_file(file, error))
    return fail(ErrorCode::invalid, doing + ": it is no file");
  {
    const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail(ErrorCode::unavailable, doing + ": " + std::strerror(errno));
    if (auto ok = storage::check_head(fd.get(), doing, false); !ok) return fail(ok.error());
    // SQLite would write a log beside it. https://www.sqlite.org/fileformat.html, "File format version
    // numbers"
    constexpr off_t place_of_version = 18;
    constexpr unsigned char with_log = 2;
    unsigned char version = 0;
    if (::pread(fd.get(), &version, 1, place_of_version) == 1 && version == with_log) {
      return fail(ErrorCode::invalid, doing +
                                          ": it is the database of a server, and no backup; make one with "
                                          "`fairway apiserver backup`");
    }
  }
  auto database = Database::open(file.string(), SQLITE_OPEN_READONLY, {});
  if (!database) return database;
  if (auto ours = storage::check_application(*database, file.string()); !ours) return fail(ours.error());
  const auto version = database->integer("PRAGMA user_version", doing);
  if (!version) return fail(version.error());
  if (*version > storage::schema_version) {
    return fail(ErrorCode::unsupported, doing + ": it was written by a newer release (schema " +
                                            std::to_string(*version) + ", this one knows " +
                                            std::to_string(storage::schema_version) + "); use that release");
  }
  return database;
}

}  // namespace

Result<void> read_backup(
    const std::filesystem::path& backup, std::string_view resource,
    const std::function<Result<void>(std::string_view path, std::string_view json)>& each) {
  auto database = open_to_read(backup);
  if (!database) return fail(database.error());
  // Of each path the newest change, unless that is a deletion.
  auto objects = database->prepare(
      "SELECT path, json FROM changes WHERE resource = (SELECT id FROM resources WHERE name = ?1) AND json "
      "IS NOT "
      "NULL "
      "AND revision = (SELECT max(revision) FROM changes AS newer "
      "WHERE newer.resource = changes.resource AND newer.path = changes.path) ORDER BY path",
      "reading " + backup.string());
  if (!objects) return fail(objects.error());
  objects->bind(1, resource);
  while (true) {
    const auto row = objects->step();
    if (!row) return fail(row.error());
    if (!*row) return {};
    if (auto done = each(objects->text(0), objects->text(1)); !done) return done;
  }
}

}  // namespace fairway::apiserver
