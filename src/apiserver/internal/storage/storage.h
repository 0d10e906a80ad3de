// SPDX-License-Identifier: Apache-2.0

// The storage of the API server: objects by key, all their changes in one order, and watches of them. As etcd
// with the API server's watch cache is, in one process, on SQLite.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/storage/record.h"
#include "apiserver/internal/storage/watch.h"
#include "base/clock.h"
#include "base/result.h"

namespace fairway::apiserver::storage {

/// Reason why something could not be read.
struct ReadError {
  enum class Kind {
    compacted,  ///< the revision is no longer kept: 410 Expired
    ahead,      ///< the revision is not reached yet: 504 with the cause ResourceVersionTooLarge
    failed,     ///< the file could not be read, or the storage is closed
  };
  Kind kind = Kind::failed;
  Error error;
};

template <class T>
using ReadResult = std::expected<T, ReadError>;

struct ListQuery {
  std::string resource;
  std::string namespace_name;  ///< empty: all
  /// Begins after this path (`Key::path`), whether it exists or not; empty: at the beginning.
  std::string after;
  std::size_t limit = 0;  ///< 0: no limit
  Revision revision = 0;  ///< the state as of exactly this revision; 0: the latest
  /// True asks for `List::remaining`: counting the rest of a past state reads all of it.
  bool counts = true;
};

struct List {
  std::vector<RecordPtr> records;  ///< in the order of their paths
  Revision revision = 0;           ///< revision that the list shows: a watch from here misses nothing
  /// Number of objects after the last of `records`. If the query does not count, it is only 0 if there are
  /// none.
  std::size_t remaining = 0;
};

/// State that an object must have for a change to happen.
struct Precondition {
  enum class Kind {
    none,      ///< any state
    absent,    ///< no such object: a create
    revision,  ///< the object exists, as of exactly `revision`
  };
  Kind kind = Kind::none;
  Revision revision = 0;

  static Precondition absent() { return {Kind::absent, 0}; }
  static Precondition at(Revision revision) { return {Kind::revision, revision}; }
};

/// Part of the disk's quota that a write may use. Each has a part of the reserve that those before it cannot
/// take: using up one of them stops none of those after it. Deletions always pass.
enum class Room {
  ordinary,   ///< not into the reserve
  essential,  ///< writes that go on while ordinary ones are refused, and take more space than before
  vital,  ///< writes that take no more space than before: renewals, and the deletion of an object in steps
  administrator,  ///< essential or vital writes by users whom rights do not bind: all of the reserve
  server,         ///< writes that the server cannot start without: no quota
};

/// Writes an object, or deletes it. Deleting an object that does not exist is a conflict, whatever the
/// precondition.
struct Change {
  Key key;
  Precondition precondition;
  std::optional<Body> body;  ///< none: a deletion
  /// True if nothing is written, and no revision is taken: the precondition alone has to hold, at the moment
  /// of the other changes.
  bool check_only = false;
  Room room = Room::ordinary;

  /// Returns a check that an object exists, as of exactly `revision`.
  static Change require(Key key, Revision revision);
};

/// A change whose precondition does not hold.
struct Conflict {
  std::size_t change = 0;  ///< its index
  RecordPtr current;       ///< the object as it is; null if there is none
};

struct Written {
  /// Records of the changes, in their order. For a deletion: the last state with the deletion's revision. For
  /// a check: the object as it is, or null.
  std::vector<RecordPtr> records;
  /// Conflict, if there was one: nothing was written, and `records` is empty.
  std::optional<Conflict> conflict;
};

/// Figures for metrics.
struct StorageCounts {
  std::uint64_t changes = 0;         ///< written since the start
  std::uint64_t commits = 0;         ///< transactions of SQLite: each has the changes of all waiting writers
  std::uint64_t watches = 0;         ///< open now
  std::uint64_t slow_watches = 0;    ///< ended since the start because they were overtaken
  std::uint64_t cached_objects = 0;  ///< in memory now
  std::uint64_t cached_bytes = 0;    ///< bytes of the JSON of cached objects
  std::uint64_t history_bytes = 0;   ///< bytes of past revisions in the database
  std::uint64_t file_bytes = 0;      ///< bytes of the database and its write-ahead log
  std::uint64_t used_bytes = 0;      ///< bytes of `file_bytes` without free pages
  std::uint64_t quota_bytes = 0;     ///< `StorageOptions::disk_quota`
  bool is_out_of_space = false;      ///< writes are refused as the quota is used up
};

/// The storage. All methods are safe from all threads. Reads of the latest state come from memory: the first
/// read of a resource loads it from the file.
class Storage {
 public:
  virtual ~Storage() = default;

  /// The newest revision that can be read. It grows with every write, of any resource.
  virtual Revision revision() const = 0;
  /// Revisions before this one are no longer kept. Exact reads and watches can begin here.
  virtual Revision compacted_revision() const = 0;

  /// Returns an object; null if it does not exist. `revision` as in `ListQuery`.
  virtual ReadResult<RecordPtr> get(const Key& key, Revision revision = 0) = 0;
  virtual ReadResult<List> list(const ListQuery& query) = 0;
  /// Begins a watch. Errors: `compacted` if `from` is before `compacted_revision`, `ahead` if it is after
  /// `revision`.
  virtual ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query) = 0;

  /// Writes all changes or none, with consecutive revisions in their order. `done` is called, from a thread
  /// of the storage, when they are durable and can be read; it must not block, nor call `write`. A key may
  /// occur once. Errors: `unavailable` if the file could not be written, with the reason (a full disk, for
  /// example): it is unknown whether that write will exist after a restart, but it cannot be read before;
  /// `cancelled` after `close`.
  virtual void write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) = 0;
  /// Writes all changes or none, and waits until they are durable.
  Result<Written> write(std::vector<Change> changes);
  Result<Written> write(Change change);

  /// Deletes all objects of a resource, with an event for each, and ends its watches.
  virtual Result<void> drop(std::string_view resource) = 0;

  /// Drops the values computed from the objects of a resource (`Record::derived`), which no longer fit.
  /// Records that are in use keep theirs.
  virtual Result<void> invalidate(std::string_view resource) = 0;

  /// Returns a value of the server's own (the key of its CA), by name; std::nullopt if there is none.
  virtual Result<std::optional<std::string>> value(std::string_view name) = 0;
  /// Sets such a value, which is durable when this returns.
  virtual Result<void> set_value(std::string_view name, std::string_view value) = 0;

  /// Removes everything older than `revision` at once, whatever its age, and returns when that is done: so
  /// that a test sees 410.
  virtual Result<void> compact(Revision revision) = 0;

  /// Checks that writes are possible, for /readyz. Errors: that of the last write, until one succeeds; the
  /// quota is used up, until there is room.
  virtual Result<void> health() const = 0;
  virtual StorageCounts counts() const = 0;

  /// Ends all watches and refuses writes; writes under way are finished. The destructor calls it too.
  virtual void close() = 0;
};

struct StorageOptions {
  Clock* clock = &Clock::system();
  /// Time that past revisions are kept; a write or a read after it removes them.
  std::chrono::nanoseconds keep = std::chrono::minutes(10);
  /// Most bytes of past revisions in the database, including what a row takes besides its text. Beyond it the
  /// oldest are removed, whatever their age.
  std::int64_t history_bytes = std::int64_t{32} << 20;
  /// Size of each resource's ring: how far a watcher may be behind. Bytes are those of past states and of the
  /// texts that were made from events.
  std::size_t ring_events = 4096;
  std::size_t ring_bytes = 16 << 20;
  /// Pages of 4 KiB of SQLite's log after which the writer copies them into the database: often enough that a
  /// start finds little of it, seldom enough that a page written many times is copied once.
  int checkpoint_pages = 4000;
  /// Bytes that the files may take, the log included; 0: no bound. See `Quota`.
  std::int64_t disk_quota = 0;
  /// False: SQLite does not sync its files. A power loss may then damage the database.
  bool durable = true;
  /// Returns the free bytes of a folder's file system; empty: asks the system. For tests.
  std::function<std::uint64_t(const std::filesystem::path& folder)> free_bytes = {};
  /// Name of a registered SQLite VFS; empty: the machine's. For tests of faults.
  std::string vfs;
};

/// Opens the database file, or creates it with its folder (0700; the file 0600). One process at a time. An
/// older file is migrated. Errors, each with what to do: it is locked by another process, not a database, of
/// a newer release, damaged, or cannot be read or written.
Result<std::unique_ptr<Storage>> open_storage(const std::filesystem::path& file, StorageOptions options = {});

/// Opens a storage on a database in memory, which ends with it. Ready in less than a millisecond.
Result<std::unique_ptr<Storage>> open_memory_storage(StorageOptions options = {});

/// Copies the database at `file`, which may be in use by this or another process, to the new file `to`: one
/// consistent, synced file, which is checked. Errors: `to` exists; `file` is not a storage; disk full.
Result<void> backup_storage(const std::filesystem::path& file, const std::filesystem::path& to);

/// Puts a backup in the place of `file`, which must not be in use. The backup is checked first, and migrated
/// if an older release made it; the replaced database is kept as "FILE.before-restore". No revision is used
/// twice: the restored storage goes on above all revisions of the replaced one (far above its own, if that
/// one cannot be read), and everything before is compacted, so that clients list again. Errors: as of
/// `open_storage`, of either file; `conflict` if there is a "FILE.before-restore" already.
Result<void> restore_storage(const std::filesystem::path& backup, const std::filesystem::path& file);

}  // namespace fairway::apiserver::storage
