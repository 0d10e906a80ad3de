// SPDX-License-Identifier: Apache-2.0

// The storage itself: resources in memory, a queue of writes, and one thread that commits them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/internal/storage/fair_mutex.h"
#include "apiserver/internal/storage/history.h"
#include "apiserver/internal/storage/lock_file.h"
#include "apiserver/internal/storage/quota.h"
#include "apiserver/internal/storage/resource_cache.h"
#include "apiserver/internal/storage/ring_watch.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::storage {

/// The storage, shared by its owner and its watches, which may outlive it.
class Engine final : public WatchSource, public std::enable_shared_from_this<Engine> {
 public:
  /// Opens the connection of reads; empty for a database in memory, which has one connection.
  using OpenReader = std::function<Result<Database>()>;
  Engine(StorageOptions options, History writer, OpenReader open_reader, std::optional<LockFile> lock,
         std::string file);
  /// Reads the current revisions, and starts the writer.
  Result<void> start();
  /// Ends watches, finishes what is queued, and closes the file.
  void close();

  Revision revision() const override { return revision_.load(std::memory_order_acquire); }
  Revision compacted_revision() const { return compacted_.load(std::memory_order_acquire); }
  ReadResult<RecordPtr> get(const Key& key, Revision revision);
  ReadResult<List> list(const ListQuery& query);
  ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query);
  ReadResult<HistoryPage> past_events(const std::string& resource, Revision from) override;
  void write(std::vector<Change> changes, std::function<void(Result<Written>)> done);
  Result<void> drop(std::string_view resource);
  Result<void> invalidate(std::string_view resource);
  Result<std::optional<std::string>> value(std::string_view name);
  Result<void> set_value(std::string_view name, std::string_view value);
  Result<void> compact(Revision revision);
  Result<void> health() const;
  StorageCounts counts() const;

 private:
  struct PreparedChange {
    Change change;
    std::string path;
    std::shared_ptr<ResourceCache> cache;
  };
  /// A write, or a task that the writer's thread runs between two commits.
  struct Request {
    std::vector<PreparedChange> changes;
    std::function<void(Result<Written>)> done;
    std::function<void()> task;
  };
  class Batch;

  // Any thread:
  std::shared_ptr<ResourceCache> cache(std::string_view resource);
  /// Returns the resource in memory, which is read from the file at first.
  Result<std::shared_ptr<ResourceCache>> loaded(std::string_view resource);
  /// Queues a request for the writer. Returns false if the storage is closed.
  bool submit(Request request);
  /// Runs `task` on the writer's thread and returns what it returns.
  Result<void> on_writer(const std::function<Result<void>()>& task);
  /// Makes the writer compact if it is due.
  void compact_if_due();
  /// Waits until a committed revision of a resource can be read. Errors: `ahead`, `compacted`.
  ReadResult<void> check_revision(Revision revision, const ResourceCache& cache);
  /// Runs `read` on the connection of reads, within one state of the database that has `from` and what
  /// follows.
  template <class T>
  ReadResult<T> read_past(std::string_view resource, Revision from,
                          const std::function<Result<T>(History&, std::int64_t resource)>& read);
  Result<History*> reader();

  // The writer's thread:
  void run();
  void process(std::span<Request> requests);
  void commit(std::span<Request> writes);
  Result<void> load(ResourceCache& cache);
  void compact_some();
  /// Stores the size of history, so that the next start need not count it.
  void keep_history_bytes();
  /// Records the time at which the newest revision was committed.
  void record_age();
  /// Expires revisions that are older than they are kept.
  void expire();
  /// Removes expired events from the rings.
  void trim_rings();
  /// Bytes that history may take now.
  std::int64_t most_history() const;
  /// Compacts history to make room for writes that are about to be made.
  void make_room(std::span<const Request> writes);
  /// Returns the reason why a write has no room. `added`: the bytes of the writes before it in the
  /// transaction.
  std::optional<Error> check_room(const Request& request, std::int64_t added) const;
  /// Reads how large the files are, and raises or ends the alarm.
  void measure();
  /// Cuts some free pages off the file, and returns freed memory to the system at the end.
  void shrink_some();
  void set_alarm(const std::optional<Error>& error);
  void set_health(const std::optional<Error>& error);
  /// Locks the only connection of a database in memory; owns nothing for a file.
  std::unique_lock<FairMutex> lock_database();

  const StorageOptions options_;
  const std::string file_;
  const OpenReader open_reader_;
  std::optional<LockFile> lock_;

  std::optional<History> writer_;
  std::optional<History> reader_;
  FairMutex reader_mutex_;  ///< guards `reader_`, or `writer_` in memory

  std::atomic<Revision> committed_{0};  ///< durable, and readable soon
  std::atomic<Revision> revision_{0};
  /// Revision before which the database has nothing.
  std::atomic<Revision> compacted_{0};
  /// Revision before which nothing can be read. Revisions between the two were removed for lack of room. A
  /// ring that still has them answers, so that many writes to one resource do not expire lists and watches of
  /// the others.
  std::atomic<Revision> expired_{0};

  mutable std::shared_mutex caches_mutex_;
  std::map<std::string, std::shared_ptr<ResourceCache>, std::less<>> caches_;

  std::mutex queue_mutex_;
  std::condition_variable queued_;
  std::vector<Request> queue_;
  bool stopping_ = false;

  /// Steady time in nanoseconds at which the next compaction is due.
  std::atomic<std::int64_t> compaction_due_{0};
  std::optional<Revision> compaction_;  ///< the revision up to which a compaction is under way; writer's
  bool compact_all_ = false;            ///< compaction takes young changes too; writer's
  bool over_bytes_ = false;  ///< compaction takes young changes until there is slack in bytes; writer's
  std::atomic<std::int64_t> history_bytes_{0};  ///< bytes of past revisions in the database
  /// Newest and compacted revision for which the file has `history_bytes_`; writer's.
  std::pair<Revision, Revision> kept_state_{0, 0};
  /// Commits within a tenth of the time that revisions are kept.
  struct Age {
    SteadyTime begin, end;
    Revision revision;
  };
  std::deque<Age> ages_;    ///< writer's
  Revision forgotten_ = 0;  ///< revision up to which the rings have nothing; writer's
  const Quota quota_;
  std::atomic<std::int64_t> file_bytes_{0}, used_bytes_{0};
  std::int64_t refused_bytes_ = 0;  ///< bytes of the largest commit's writes that raised the alarm; writer's
  std::int64_t pending_bytes_ = 0;  ///< bytes of writes that history makes room for; writer's
  std::int64_t unmeasured_ = 0;     ///< bytes written since the files were measured; writer's
  bool can_shrink_ = false, is_shrinking_ = false;  ///< writer's
  std::int64_t freed_ = 0;  ///< bytes freed since memory was returned to the system; writer's
  std::optional<Error> compaction_error_;

  mutable std::mutex health_mutex_;
  std::optional<Error> health_;
  std::optional<Error> alarm_;  ///< set while the quota is used up
  std::atomic<std::uint64_t> changes_{0}, commits_{0};
  std::atomic<bool> closed_{false};
  std::once_flag close_once_;
  std::thread thread_;
};

}  // namespace fairway::apiserver::storage
