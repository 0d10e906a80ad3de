// The tables of the storage: every kept change of every object, and a few values by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/storage/internal/database.h"
#include "apiserver/storage/record.h"
#include "apiserver/storage/watch.h"

namespace fairway::apiserver::storage {

/// What the newest release knows; `PRAGMA user_version`.
inline constexpr int schema_version = 1;

/// Errors: `invalid` for a database of another program, an empty one too.
Result<void> check_application(Database& database, const std::string& file);
/// Creates the tables in an empty database, or migrates those of an older release. Errors: `unsupported` for
/// a newer release's, `invalid` for another program's database.
Result<void> prepare_schema(Database& database, const std::string& file);
/// Errors: `invalid` with what is damaged.
Result<void> check_integrity(Database& database, const std::string& file);

struct Loaded {
  std::vector<RecordPtr> records;  ///< the latest, sorted by path
  std::vector<EventPtr> events;    ///< kept changes, in their order
  Revision base = 0;               ///< `events` has all after this one
};

struct HistoryPage {
  std::vector<EventPtr> events;
  Revision upto = 0;  ///< all events up to here are in `events`
};

/// What a range of a list is as of a revision.
struct PastList {
  std::vector<RecordPtr> records;
  std::size_t remaining = 0;
};

/// The statements on one connection.
class History {
 public:
  static Result<History> open(Database database);

  Database& database() { return database_; }

  Result<void> begin() { return begin_.run(); }
  Result<void> commit() { return commit_.run(); }

  /// 0: the resource has never been written.
  Result<std::int64_t> find_resource(std::string_view name);
  Result<std::int64_t> add_resource(std::string_view name);
  /// `json` null: the deletion of an object.
  Result<void> insert(std::int64_t resource, EventType type, const Record& record, std::int64_t time);

  /// The newest change's revision; 0 if there is none.
  Result<Revision> last_revision();
  Result<Revision> compacted();
  /// The latest state, and as many of the newest events as fit.
  Result<Loaded> load(std::int64_t resource, Revision compacted, std::size_t events, std::size_t bytes);
  /// The first events after `from` up to `upto`: a page's worth, of some thousand changes of all resources.
  Result<HistoryPage> events(std::int64_t resource, Revision from, Revision upto);
  Result<RecordPtr> get(std::int64_t resource, std::string_view path, Revision revision);
  /// Of paths after `after` and before `end`; `limit` 0: all.
  Result<PastList> list(std::int64_t resource, std::string_view after, std::string_view end,
                        std::size_t limit, Revision revision);

  /// Forgets what is superseded by the next `changes` changes after `from` and up to `upto` that were made
  /// before `time`. In a transaction of the caller's.
  struct Compaction {
    Revision done = 0;      ///< up to here nothing superseded is left
    bool finished = false;  ///< that is `upto`, or the next change is younger
  };
  Result<Compaction> compact(Revision from, Revision upto, std::int64_t before, std::int64_t now,
                             std::size_t changes);

  Result<std::optional<std::string>> value(std::string_view name);
  Result<void> set_value(std::string_view name, std::string_view value);

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  /// Records by revision: what is read twice is in memory once.
  using Known = std::unordered_map<Revision, RecordPtr>;
  Result<EventPtr> read_event(std::int64_t resource, Revision revision, Known& known);
  Result<RecordPtr> read_record(Revision revision);
  /// The latest one up to `revision`.
  Result<RecordPtr> read_latest(std::int64_t resource, std::string_view path, Revision revision,
                                Known* known);

  Database database_;
  Statement begin_, commit_, find_resource_, add_resource_, insert_, keys_, row_, latest_, changes_, past_,
      old_changes_, delete_old_, delete_one_, value_, set_value_;
};

}  // namespace fairway::apiserver::storage
