// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/engine.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "apiserver/internal/storage/path_range.h"

namespace fairway::apiserver::storage {

namespace {

ReadError failed(Error error) {
  return {ReadError::Kind::failed, std::move(error)};
}

Error closed_error() {
  return {ErrorCode::cancelled, "using the storage: it was closed"};
}

}  // namespace

Engine::Engine(StorageOptions options, History writer, OpenReader open_reader, std::optional<LockFile> lock,
               std::string file)
    : options_(std::move(options)),
      file_(std::move(file)),
      open_reader_(std::move(open_reader)),
      lock_(std::move(lock)),
      writer_(std::move(writer)),
      quota_(options_.disk_quota) {}

Result<void> Engine::start() {
  auto last = writer_->last_revision();
  if (!last) return fail(last.error());
  auto compacted = writer_->compacted();
  if (!compacted) return fail(compacted.error());
  // The last change may be a deletion that is compacted: its revision is not given again. 0 is "any" to
  // clients, so the first write is at 2, as etcd's is.
  auto revision = std::max({*last, *compacted, Revision{1}});
  committed_ = revision;
  revision_ = revision;
  compacted_ = expired_ = *compacted;
  record_age();
  auto kept = writer_->kept_superseded_bytes(committed_, compacted_);
  if (!kept) return fail(kept.error());
  if (!*kept) {
    auto counted = writer_->superseded_bytes();
    if (!counted) return fail(counted.error());
    history_bytes_ = *counted;
  } else {
    history_bytes_ = **kept;
    kept_state_ = {committed_, compacted_};
  }
  auto can_shrink = writer_->can_shrink();
  if (!can_shrink) return fail(can_shrink.error());
  can_shrink_ = is_shrinking_ = *can_shrink;
  measure();
  compaction_due_ = (options_.clock->steady() + options_.keep / 10).time_since_epoch().count();
  thread_ = std::thread([this] { run(); });
  return {};
}

void Engine::close() {
  std::call_once(close_once_, [this] {
    {
      std::lock_guard lock(queue_mutex_);
      stopping_ = true;
      queued_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    closed_ = true;
    {
      std::shared_lock lock(caches_mutex_);
      for (auto& [name, cache] : caches_) {
        std::lock_guard subscribers(cache->subscribers_mutex());
        for (auto* subscriber : cache->subscribers()) subscriber->end(WatchEnd::closed);
      }
    }
    std::lock_guard lock(reader_mutex_);
    reader_.reset();
    writer_.reset();
    lock_.reset();
  });
}

std::shared_ptr<ResourceCache> Engine::cache(std::string_view resource) {
  {
    std::shared_lock lock(caches_mutex_);
    if (auto found = caches_.find(resource); found != caches_.end()) return found->second;
  }
  std::lock_guard lock(caches_mutex_);
  auto& made = caches_[std::string(resource)];
  if (made == nullptr) {
    made = std::make_shared<ResourceCache>(std::string(resource), options_.ring_events, options_.ring_bytes);
  }
  return made;
}

Result<std::shared_ptr<ResourceCache>> Engine::loaded(std::string_view resource) {
  auto found = cache(resource);
  if (found->loaded()) return found;
  // Between two commits, so that no change is missed.
  if (auto done = on_writer([&] { return load(*found); }); !done) return fail(done.error());
  return found;
}

bool Engine::submit(Request request) {
  std::lock_guard lock(queue_mutex_);
  if (stopping_) return false;
  queue_.push_back(std::move(request));
  if (queue_.size() == 1) queued_.notify_one();
  return true;
}

Result<void> Engine::on_writer(const std::function<Result<void>()>& task) {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<Result<void>> result;
  Request request;
  request.task = [&] {
    auto outcome = task();
    std::lock_guard lock(mutex);
    result = std::move(outcome);
    done.notify_all();
  };
  if (!submit(std::move(request))) return fail(closed_error());
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return result.has_value(); });
  return *result;
}

ReadResult<void> Engine::check_revision(Revision revision, const ResourceCache& cache) {
  compact_if_due();
  const Revision expired = expired_, oldest = std::max(expired, std::min(compacted_revision(), cache.base()));
  if (revision < oldest) {
    return std::unexpected(ReadError{
        ReadError::Kind::compacted,
        {ErrorCode::not_found, "reading revision " + std::to_string(revision) +
                                   ": it is no longer kept; the oldest is " + std::to_string(oldest)}});
  }
  if (revision > committed_.load(std::memory_order_acquire)) {
    return std::unexpected(
        ReadError{ReadError::Kind::ahead,
                  {ErrorCode::invalid, "reading revision " + std::to_string(revision) + ": the newest is " +
                                           std::to_string(this->revision())}});
  }
  // A watcher saw it already; everybody is about to.
  for (auto now = this->revision(); now < revision; now = this->revision()) {
    revision_.wait(now, std::memory_order_acquire);
  }
  return {};
}

Result<History*> Engine::reader() {
  if (closed_ || !writer_) return fail(closed_error());
  if (!open_reader_) return &*writer_;
  if (!reader_) {
    auto database = open_reader_();
    if (!database) return fail(database.error());
    auto history = History::open(std::move(*database));
    if (!history) return fail(history.error());
    reader_ = std::move(*history);
  }
  return &*reader_;
}

template <class T>
ReadResult<T> Engine::read_past(std::string_view resource, Revision from,
                                const std::function<Result<T>(History&, std::int64_t resource)>& read) {
  std::lock_guard lock(reader_mutex_);
  auto history = reader();
  if (!history) return std::unexpected(failed(history.error()));
  auto in_one_state = [&]() -> ReadResult<T> {
    if (auto begun = (*history)->begin(); !begun) return std::unexpected(failed(begun.error()));
    auto compacted = (*history)->compacted();
    if (!compacted) return std::unexpected(failed(compacted.error()));
    if (from < *compacted) {
      return std::unexpected(ReadError{
          ReadError::Kind::compacted,
          {ErrorCode::not_found, "reading revision " + std::to_string(from) +
                                     ": it is no longer kept; the oldest is " + std::to_string(*compacted)}});
    }
    auto id = (*history)->find_resource(resource);
    if (!id) return std::unexpected(failed(id.error()));
    auto result = read(**history, *id);
    if (!result) return std::unexpected(failed(result.error()));
    return std::move(*result);
  };
  auto result = in_one_state();
  (*history)->database().roll_back();
  return result;
}

ReadResult<RecordPtr> Engine::get(const Key& key, Revision revision) {
  auto found = loaded(key.resource);
  if (!found) return std::unexpected(failed(found.error()));
  auto path = key.path();
  if (revision == 0) return (*found)->find(path);
  if (auto ok = check_revision(revision, **found); !ok) return std::unexpected(ok.error());
  if (auto past = (*found)->past(path, revision); past.known) return past.record;
  return read_past<RecordPtr>(key.resource, revision, [&](History& history, std::int64_t resource) {
    return history.get(resource, path, revision);
  });
}

ReadResult<List> Engine::list(const ListQuery& query) {
  auto found = loaded(query.resource);
  if (!found) return std::unexpected(failed(found.error()));
  if (query.revision == 0) return (*found)->list(query, revision());
  if (auto ok = check_revision(query.revision, **found); !ok) return std::unexpected(ok.error());
  if (auto list = (*found)->past_list(query)) return std::move(*list);
  const PathRange range = PathRange::of(query.namespace_name);
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  const std::size_t limit = query.limit == 0 ? all : query.limit;
  PastQuery next{.after = std::max(range.begin, query.after),
                 .end = range.end,
                 .revision = query.revision,
                 .limit = limit,
                 .counts = query.counts};
  List list{.records = {}, .revision = query.revision, .remaining = 0};
  // Each piece is a state of its own: that of a revision does not change, and one that goes meanwhile is an
  // error.
  while (true) {
    auto piece = read_past<PastPiece>(
        query.resource, query.revision,
        [&](History& history, std::int64_t resource) { return history.list(resource, next); });
    if (!piece) return std::unexpected(piece.error());
    list.records.insert(list.records.end(), std::make_move_iterator(piece->records.begin()),
                        std::make_move_iterator(piece->records.end()));
    list.remaining += piece->remaining;
    if (piece->finished) return list;
    next.after = std::move(piece->upto);
    next.limit = limit - list.records.size();
  }
}

ReadResult<std::unique_ptr<Watch>> Engine::watch(const WatchQuery& query) {
  auto found = loaded(query.resource);
  if (!found) return std::unexpected(failed(found.error()));
  if (auto ok = check_revision(query.from, **found); !ok) return std::unexpected(ok.error());
  auto watch = std::make_unique<RingWatch>(shared_from_this(), *found, query);
  if (closed_) return std::unexpected(failed(closed_error()));
  return watch;
}

ReadResult<HistoryPage> Engine::past_events(const std::string& resource, Revision from) {
  auto upto = revision();
  return read_past<HistoryPage>(
      resource, from, [&](History& history, std::int64_t id) { return history.events(id, from, upto); });
}

void Engine::write(std::vector<Change> changes, std::function<void(Result<Written>)> done) {
  Request request;
  request.changes.reserve(changes.size());
  std::set<std::pair<const ResourceCache*, std::string>> keys;
  for (auto& change : changes) {
    auto found = cache(change.key.resource);
    auto path = change.key.path();
    if (changes.size() > 1 && !keys.emplace(found.get(), path).second) {
      return done(fail(ErrorCode::invalid, "writing to the storage: " + change.key.resource + " " + path +
                                               " occurs twice in one transaction"));
    }
    request.changes.push_back({std::move(change), std::move(path), std::move(found)});
  }
  if (request.changes.empty()) return done(Written{});
  request.done = std::move(done);
  // Not moved if the storage is closed.
  auto& answer = request.done;
  std::unique_lock lock(queue_mutex_);
  if (stopping_) {
    lock.unlock();
    return answer(fail(closed_error()));
  }
  queue_.push_back(std::move(request));
  if (queue_.size() == 1) queued_.notify_one();
}

Result<void> Engine::drop(std::string_view resource) {
  auto found = loaded(resource);
  if (!found) return fail(found.error());
  bool empty = false;
  while (!empty) {
    auto list = (*found)->list({std::string(resource), {}, {}, 1000, 0}, revision());
    std::vector<Change> changes;
    changes.reserve(list.records.size());
    for (const auto& record : list.records) {
      changes.push_back(
          {{std::string(resource), std::string(record->namespace_name()), std::string(record->name())},
           {},
           {}});
    }
    if (!changes.empty()) {
      std::optional<Result<Written>> written;
      std::mutex mutex;
      std::condition_variable answered;
      write(std::move(changes), [&](Result<Written> answer) {
        std::lock_guard lock(mutex);
        written = std::move(answer);
        answered.notify_all();
      });
      std::unique_lock lock(mutex);
      answered.wait(lock, [&] { return written.has_value(); });
      if (!*written) return fail(written->error());
      continue;  // a conflict: somebody else deleted one of them
    }
    auto ended = on_writer([&]() -> Result<void> {
      empty = (*found)->objects() == 0;
      if (!empty) return {};
      std::lock_guard lock((*found)->subscribers_mutex());
      for (auto* subscriber : (*found)->subscribers()) subscriber->end(WatchEnd::dropped);
      return {};
    });
    if (!ended) return ended;
  }
  return {};
}

Result<void> Engine::invalidate(std::string_view resource) {
  auto found = cache(resource);
  return on_writer([&]() -> Result<void> {
    if (found->loaded()) found->invalidate();
    return {};
  });
}

Result<std::optional<std::string>> Engine::value(std::string_view name) {
  std::lock_guard lock(reader_mutex_);
  auto history = reader();
  if (!history) return fail(history.error());
  return (*history)->value("value/" + std::string(name));
}

Result<void> Engine::set_value(std::string_view name, std::string_view value) {
  return on_writer([&] {
    auto lock = lock_database();
    return writer_->set_value("value/" + std::string(name), value);
  });
}

Result<void> Engine::health() const {
  if (closed_) return fail(closed_error());
  std::lock_guard lock(health_mutex_);
  if (health_) return fail(*health_);
  if (alarm_) return fail(*alarm_);
  return {};
}

StorageCounts Engine::counts() const {
  StorageCounts counts;
  counts.changes = changes_;
  counts.commits = commits_;
  counts.watches = watches;
  counts.history_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, history_bytes_));
  counts.slow_watches = slow_watches;
  {
    std::shared_lock lock(caches_mutex_);
    for (const auto& [name, cache] : caches_) {
      counts.cached_objects += cache->objects();
      counts.cached_bytes += cache->bytes();
    }
  }
  counts.file_bytes = static_cast<std::uint64_t>(file_bytes_);
  counts.used_bytes = static_cast<std::uint64_t>(used_bytes_);
  counts.quota_bytes = static_cast<std::uint64_t>(quota_.bytes());
  const std::lock_guard lock(health_mutex_);
  counts.is_out_of_space = alarm_.has_value();
  return counts;
}

}  // namespace fairway::apiserver::storage
