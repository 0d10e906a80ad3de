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

/// Why something could not be read.
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
  /// True asks for `List::remaining`: to count what follows in a past state reads all of it.
  bool counts = true;
};

struct List {
  std::vector<RecordPtr> records;  ///< in the order of their paths
  Revision revision = 0;           ///< what the list shows: a watch from here misses nothing
  /// How many follow the last of `records`; where the query does not count: 0 if none does.
  std::size_t remaining = 0;
};

/// What an object has to be, for a change to happen.
struct Precondition {
  enum class Kind {
    none,      ///< whatever there is
    absent,    ///< no such object: a create
    revision,  ///< it is there, as of exactly `revision`
  };
  Kind kind = Kind::none;
  Revision revision = 0;

  static Precondition absent() { return {Kind::absent, 0}; }
  static Precondition at(Revision revision) { return {Kind::revision, revision}; }
};

/// How far into the quota of the disk a write gets. Each has a part of the reserve that those before it
/// cannot take, so that whoever uses up one of them stops nobody of those after it. Deletions always pass.
enum class Room {
  ordinary,       ///< not into the reserve
  essential,      ///< what goes on while ordinary writes are refused, and takes more space than before
  vital,          ///< what takes no more space than before: renewals, and the way of an object out
  administrator,  ///< what is essential or vital, by whom rights do not bind: all of the reserve
  server,         ///< what the server cannot start without: no quota
};

/// Writes an object, or deletes it. To delete what is not there is a conflict, whatever the precondition.
struct Change {
  Key key;
  Precondition precondition;
  std::optional<Body> body;  ///< none: a deletion
  /// Nothing is written, and no revision is taken: the precondition alone has to hold, at the moment of the
  /// other changes.
  bool check_only = false;
  Room room = Room::ordinary;

  /// The object has to be there, as of exactly `revision`.
  static Change require(Key key, Revision revision);
};

/// A change did not find what it required.
struct Conflict {
  std::size_t change = 0;  ///< its index
  RecordPtr current;       ///< the object as it is; null if there is none
};

struct Written {
  /// One for each change, in their order; of a deletion: the last state with the deletion's revision; of a
  /// check: the object as it is, or null.
  std::vector<RecordPtr> records;
  /// Nothing was written, and `records` is empty.
  std::optional<Conflict> conflict;
};

/// Figures for metrics.
struct StorageCounts {
  std::uint64_t changes = 0;         ///< written since the start
  std::uint64_t commits = 0;         ///< transactions of SQLite: each has the changes of all who waited
  std::uint64_t watches = 0;         ///< open now
  std::uint64_t slow_watches = 0;    ///< ended since the start because they were overtaken
  std::uint64_t cached_objects = 0;  ///< in memory now
  std::uint64_t cached_bytes = 0;    ///< of their JSON
  std::uint64_t history_bytes = 0;   ///< of past revisions, in the database
  std::uint64_t file_bytes = 0;      ///< of the database and its write-ahead log
  std::uint64_t used_bytes = 0;      ///< of that, without pages that are free
  std::uint64_t quota_bytes = 0;     ///< `StorageOptions::disk_quota`
  bool is_out_of_space = false;      ///< writes are refused as the quota is used up
};

/// All methods are safe from all threads. Reads of the latest state come out of memory: the first one of a
/// resource reads it from the file.
class Storage {
 public:
  virtual ~Storage() = default;

  /// The newest revision that can be read. It grows with every write, of any resource.
  virtual Revision revision() const = 0;
  /// Revisions before this one are no longer kept. Exact reads and watches can begin here.
  virtual Revision compacted_revision() const = 0;

  /// Null if there is no such object. `revision` as in `ListQuery`.
  virtual ReadResult<RecordPtr> get(const Key& key, Revision revision = 0) = 0;
  virtual ReadResult<List> list(const ListQuery& query) = 0;
  /// Errors: `compacted` if `from` is before `compacted_revision`, `ahead` if it is after `revision`.
  virtual ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query) = 0;

  /// All changes or none, with consecutive revisions in their order. `done` is called, from a thread of the
  /// storage, when they are durable and can be read; it must not block, nor call `write`. A key may occur
  /// once. Errors: `unavailable` where the file could not be written, with the reason (a full disk, for
  /// example): it is unknown whether that write will be there after a restart, but it is not to be read
  /// before; `cancelled` after `close`.
  virtual void write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) = 0;
  /// The same, and waits for it.
  Result<Written> write(std::vector<Change> changes);
  Result<Written> write(Change change);

  /// Deletes all objects of a resource, with an event for each, and ends its watches.
  virtual Result<void> drop(std::string_view resource) = 0;

  /// Forgets what was computed of the objects of a resource (`Record::derived`): it does not fit any more.
  /// Those who have a record keep it.
  virtual Result<void> renew(std::string_view resource) = 0;

  /// A value of the server's own (the key of its CA), by name; std::nullopt if there is none.
  virtual Result<std::optional<std::string>> value(std::string_view name) = 0;
  /// Durable when it returns.
  virtual Result<void> set_value(std::string_view name, std::string_view value) = 0;

  /// Forgets what is older than `revision` at once, whatever its age, and returns when it is done: so that a
  /// test sees 410.
  virtual Result<void> compact(Revision revision) = 0;

  /// Whether writes are possible: the error of the last one, until one succeeds, and that the quota is used
  /// up, until there is room. For /readyz.
  virtual Result<void> health() const = 0;
  virtual StorageCounts counts() const = 0;

  /// Ends all watches and refuses writes; what was being written is finished. The destructor does it too.
  virtual void close() = 0;
};

struct StorageOptions {
  Clock* clock = &Clock::system();
  /// How long past revisions are kept; they go with a write or a read after that time.
  std::chrono::nanoseconds keep = std::chrono::minutes(10);
  /// Past revisions take no more than this in the database, with what a row takes beside its text: beyond it
  /// the oldest go, whatever their age.
  std::int64_t history_bytes = std::int64_t{32} << 20;
  /// The ring of each resource: how far a watcher may be behind. Bytes are those of past states and of the
  /// texts that were made of events.
  std::size_t ring_events = 4096;
  std::size_t ring_bytes = 16 << 20;
  /// Pages of 4 KiB of SQLite's log, after which the writer copies them into the database: often enough that
  /// a start finds little of it, seldom enough that a page written many times is copied once.
  int checkpoint_pages = 4000;
  /// What the files may take, the log included; 0: no bound. See `Quota`.
  std::int64_t disk_quota = 0;
  /// How many bytes a folder's file system has left; empty: asks it. For tests.
  std::function<std::uint64_t(const std::filesystem::path& folder)> free_bytes = {};
  /// Name of a registered SQLite VFS; empty: the machine's. For tests of faults.
  std::string vfs;
};

/// Opens the database file, or creates it with its folder (0700; the file 0600). One process at a time.
/// Errors, each with what to do: it is locked by another process, not a database, of a newer release,
/// damaged, or cannot be read or written. An older file is migrated.
Result<std::unique_ptr<Storage>> open_storage(const std::filesystem::path& file, StorageOptions options = {});

/// The same on a database in memory, which ends with it. Ready in less than a millisecond.
Result<std::unique_ptr<Storage>> open_memory_storage(StorageOptions options = {});

/// Copies the database at `file`, which may be in use by this or another process, to the new file `to`: one
/// consistent, synced file, which is checked. Errors: `to` exists; `file` is not a storage; disk full.
Result<void> backup_storage(const std::filesystem::path& file, const std::filesystem::path& to);

/// Puts a backup in the place of `file`, which must not be in use. The backup is checked first, and migrated
/// if an older release made it; the database that was there is kept as "FILE.before-restore". No revision is
/// given twice: the restored storage goes on above all that the replaced one had (far above its own, where
/// that one cannot be read), and all before is compacted, so that clients list again. Errors: as of
/// `open_storage`, of either file; `conflict` if there is a "FILE.before-restore" already.
Result<void> restore_storage(const std::filesystem::path& backup, const std::filesystem::path& file);

}  // namespace fairway::apiserver::storage
