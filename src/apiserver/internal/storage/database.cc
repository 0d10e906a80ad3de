// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/database.h"

#include <cstring>

namespace fairway::apiserver::storage {

Error sqlite_error(sqlite3* database, int code, std::string_view doing) {
  std::string text = std::string(doing) + ": ";
  int system = database == nullptr ? 0 : sqlite3_system_errno(database);
  std::string detail = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
  if (system != 0 && (code & 0xff) != SQLITE_CORRUPT)
    detail += std::string(" (") + std::strerror(system) + ")";
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorCode::unavailable, text + "the disk is full; free some space, then writes go on"};
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return {ErrorCode::unavailable, text + detail + "; check the disk and the permissions of the folder"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {ErrorCode::forbidden, text + detail + "; give the user of this process write permission"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable, text + "another process uses the database; stop it, or wait for it"};
    case SQLITE_NOTADB:
      return {ErrorCode::invalid, text + "it is not an SQLite database; name another file"};
    case SQLITE_CORRUPT:
      return {ErrorCode::invalid, text + "the database is damaged (" + detail + "); restore a backup"};
    default:
      return {ErrorCode::internal, text + detail};
  }
}

Result<bool> Statement::step() {
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(sqlite_error(sqlite3_db_handle(statement_.get()), code, doing_));
}

Result<void> Statement::run() {
  ResetAtEnd reset(*this);
  while (true) {
    auto row = step();
    if (!row) return fail(row.error());
    if (!*row) return {};
  }
}

std::string_view Statement::text(int column) const {
  // In this order: asking for the text may change the size.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

Result<Database> Database::open(const std::string& file, int flags, const std::string& vfs) {
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                             vfs.empty() ? nullptr : vfs.c_str());
  Database database;
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return fail(sqlite_error(handle, code, "opening " + file));
  sqlite3_busy_timeout(handle, 10'000);
  if ((flags & SQLITE_OPEN_READONLY) != 0) return database;
  // Of a new database, and of a copy (VACUUM INTO): free pages can be cut off. One that is there stays as it
  // is. Before anything is written, thus before the log is chosen.
  if (auto ok = database.execute("PRAGMA auto_vacuum = INCREMENTAL", "opening " + file); !ok)
    return fail(ok.error());
  return database;
}

Result<void> Database::execute(const char* sql, std::string_view doing) {
  int code = sqlite3_exec(get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(get(), code, doing));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql, std::string_view doing) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                &statement, nullptr);
  if (code != SQLITE_OK) return fail(sqlite_error(get(), code, doing));
  return Statement(statement, std::string(doing));
}

Result<std::int64_t> Database::integer(std::string_view sql, std::string_view doing) {
  auto statement = prepare(sql, doing);
  if (!statement) return fail(statement.error());
  auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->integer(0) : 0;
}

void Database::roll_back() {
  if (sqlite3_get_autocommit(get()) == 0) sqlite3_exec(get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace fairway::apiserver::storage
