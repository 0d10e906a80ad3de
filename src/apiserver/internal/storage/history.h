// SPDX-License-Identifier: Apache-2.0

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

#include "apiserver/internal/storage/database.h"
#include "apiserver/internal/storage/record.h"
#include "apiserver/internal/storage/watch.h"

namespace fairway::apiserver::storage {

/// Newest schema that this release knows; `PRAGMA user_version`.
inline constexpr int schema_version = 2;

/// Checks that a database is ours. Errors: `invalid` for that of another program, or an empty one.
Result<void> check_application(Database& database, const std::string& file);
/// Creates the tables in an empty database, or migrates those of an older release. Errors: `unsupported` for
/// a newer release's, `invalid` for another program's database.
Result<void> prepare_schema(Database& database, const std::string& file);
/// Checks a database for damage. Errors: `invalid` with the damage.
Result<void> check_integrity(Database& database, const std::string& file);

struct Loaded {
  std::vector<RecordPtr> records;  ///< the latest records, sorted by path
  std::vector<EventPtr> events;    ///< kept changes, in their order
  Revision base = 0;               ///< revision after which `events` has all changes
};

struct HistoryPage {
  std::vector<EventPtr> events;
  Revision upto = 0;  ///< all events up to here are in `events`
};

/// The range of a list to be read as of a revision.
struct PastQuery {
  std::string after, end;  ///< paths after the one and before the other
  Revision revision = 0;
  std::size_t limit = 0;  ///< limit on records; those beyond it are counted
  bool counts = true;     ///< false: it is enough to know whether one follows
};

/// A piece of such a list: as much as can be read without delaying others that wait for the connection.
struct PastPiece {
  std::vector<RecordPtr> records;
  std::size_t remaining = 0;  ///< records seen beyond the limit
  std::string upto;           ///< all paths up to here were seen
  bool finished = false;      ///< no requested record follows
};

/// The statements on one connection.
class History {
 public:
  static Result<History> open(Database database);

  Database& database() { return database_; }

  Result<void> begin() { return begin_.run(); }
  Result<void> commit() { return commit_.run(); }

  /// Returns the id of a resource; 0: it has never been written.
  Result<std::int64_t> find_resource(std::string_view name);
  Result<std::int64_t> add_resource(std::string_view name);
  /// Inserts a change. Its row has no JSON if it is a deletion.
  Result<void> insert(std::int64_t resource, EventType type, const Record& record, std::int64_t time);

  /// Returns the newest change's revision; 0 if there is none.
  Result<Revision> last_revision();
  Result<Revision> compacted();
  /// Loads the latest state, and as many of the newest events as fit.
  Result<Loaded> load(std::int64_t resource, Revision compacted, std::size_t events, std::size_t bytes);
  /// Returns the first events after `from` up to `upto`: a page of some thousand changes of all resources.
  Result<HistoryPage> events(std::int64_t resource, Revision from, Revision upto);
  Result<RecordPtr> get(std::int64_t resource, std::string_view path, Revision revision);
  /// Returns the next piece of a list: some thousand changes, or a megabyte of objects.
  Result<PastPiece> list(std::int64_t resource, const PastQuery& query);

  /// Returns the bytes (`row_bytes`) of all rows that are not an object's latest state. Reads the index and
  /// every row.
  Result<std::int64_t> superseded_bytes();
  /// Stores that sum for the next start, with the state of the database that it belongs to.
  Result<void> keep_superseded_bytes(Revision last, Revision compacted, std::int64_t bytes);
  /// Returns the stored sum if it is that of this state; std::nullopt otherwise, for example after a crash.
  Result<std::optional<std::int64_t>> kept_superseded_bytes(Revision last, Revision compacted);

  /// The changes that one step of compaction reads, and its limits.
  struct CompactionStep {
    Revision from = 0, upto = 0;  ///< the changes after `from`, up to `upto`
    std::int64_t before = 0;      ///< the changes made before this time,
    std::int64_t must_free = 0;   ///< and younger ones until so many superseded bytes are freed
    std::int64_t now = 0;
    std::size_t most_changes = 0;  ///< at most so many changes,
    std::int64_t most_bytes = 0;   ///< and no more once so many bytes are freed
  };
  struct Compaction {
    Revision done = 0;       ///< revision up to which nothing superseded is left
    bool finished = false;   ///< `done` is `upto`, or the next change has to be kept
    std::int64_t freed = 0;  ///< the bytes of the removed rows
  };
  /// Removes the rows that these changes supersede. Runs in a transaction of the caller's.
  Result<Compaction> compact(const CompactionStep& step);

  /// Number of pages of `page_bytes`.
  struct Pages {
    std::int64_t all = 0, free = 0;
  };
  Result<Pages> pages();
  /// Returns whether free pages can be cut off.
  Result<bool> can_shrink();
  /// Cuts off up to `most_free_pages` free pages (a constant).
  Result<void> shrink() { return shrink_.run(); }
  static constexpr std::int64_t most_free_pages = 256;
  /// Copies the log into the database and empties it, if nobody reads it.
  Result<void> empty_log() { return empty_log_.run(); }

  Result<std::optional<std::string>> value(std::string_view name);
  Result<void> set_value(std::string_view name, std::string_view value);

 private:
  explicit History(Database database) : database_(std::move(database)) {}
  /// Records by revision, so that a record that is read twice is in memory once.
  using ReadRecords = std::unordered_map<Revision, RecordPtr>;
  Result<EventPtr> read_event(std::int64_t resource, Revision revision, ReadRecords& read);
  Result<RecordPtr> read_record(Revision revision);
  /// Returns the latest record up to `revision`.
  Result<RecordPtr> read_latest(std::int64_t resource, std::string_view path, Revision revision,
                                ReadRecords* read);

  /// Deletes the changes of an object before `revision`. Returns the bytes that they took.
  Result<std::int64_t> forget_before(std::int64_t resource, std::string_view path, Revision revision);

  Database database_;
  Statement begin_, commit_, find_resource_, add_resource_, insert_, keys_, row_, latest_, changes_, past_,
      old_changes_, old_sizes_, delete_old_, delete_one_, value_, set_value_, page_count_, free_count_,
      shrink_, empty_log_;
};

}  // namespace fairway::apiserver::storage
