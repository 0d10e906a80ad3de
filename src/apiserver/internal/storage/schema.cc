// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "apiserver/internal/storage/history.h"

namespace fairway::apiserver::storage {

namespace {

constexpr std::int64_t application_id = 0x46776179;  // "Fway"

// A revision is the rowid: changes are appended, and a range of revisions is a range of the table. The index
// has the rowid as its last column, so a path's newest change is its last entry.
constexpr const char* first_schema = R"(
CREATE TABLE "values"(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE resources(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE changes(
  revision INTEGER PRIMARY KEY,
  resource INTEGER NOT NULL,
  path TEXT NOT NULL,
  type INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  time INTEGER NOT NULL,
  json BLOB);
CREATE INDEX changes_by_path ON changes(resource, path);
PRAGMA application_id = 1182228857;
PRAGMA user_version = 2;
)";
static_assert(application_id == 1182228857);
static_assert(schema_version == 2);

// Version 2 has the tables of version 1. It says that there may be objects of kinds and with fields that
// releases for Kubernetes 1.36 do not know, and would lose.
constexpr const char* to_version_2 = "BEGIN IMMEDIATE; PRAGMA user_version = 2; COMMIT;";

}  // namespace

Result<void> check_application(Database& database, const std::string& file) {
  std::string doing = "opening " + file;
  auto application = database.integer("PRAGMA application_id", doing);
  if (!application) return fail(application.error());
  if (*application == application_id) return {};
  return fail(ErrorCode::invalid, doing + ": it is no storage of an API server; name another file");
}

Result<void> prepare_schema(Database& database, const std::string& file) {
  std::string doing = "opening " + file;
  auto version = database.integer("PRAGMA user_version", doing);
  if (!version) return fail(version.error());
  auto tables = database.integer("SELECT count(*) FROM sqlite_schema", doing);
  if (!tables) return fail(tables.error());
  if (*tables == 0 && *version == 0) {
    std::string sql = std::string("BEGIN IMMEDIATE;") + first_schema + "COMMIT;";
    if (auto made = database.execute(sql.c_str(), doing); !made) {
      database.roll_back();
      return fail(made.error());
    }
    return {};
  }
  if (auto ours = check_application(database, file); !ours) return fail(ours.error());
  if (*version > schema_version) {
    return fail(ErrorCode::unsupported, doing + ": it was written by a newer release (schema " +
                                            std::to_string(*version) + ", this one knows " +
                                            std::to_string(schema_version) +
                                            "); use that release, or a backup");
  }
  // A migration is a step from one version to the next, each in a transaction that sets user_version.
  if (*version < schema_version) {
    // A damaged one is left as it is.
    if (auto whole = check_integrity(database, file); !whole) return whole;
    if (auto migrated = database.execute(to_version_2, doing); !migrated) {
      database.roll_back();
      return fail(migrated.error());
    }
  }
  return {};
}

Result<void> check_integrity(Database& database, const std::string& file) {
  std::string doing = "checking " + file;
  auto statement = database.prepare("PRAGMA quick_check(1)", doing);
  if (!statement) return fail(statement.error());
  auto row = statement->step();
  if (!row) return fail(row.error());
  if (!*row || statement->text(0) != "ok") {
    return fail(ErrorCode::invalid, doing + ": the database is damaged (" +
                                        (*row ? std::string(statement->text(0)) : "no answer") +
                                        "); restore a backup");
  }
  return {};
}

}  // namespace fairway::apiserver::storage
