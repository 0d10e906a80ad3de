// The writer's thread: group commit, loads and compaction.
#include <algorithm>
#include <chrono>

#include "apiserver/storage/internal/engine.h"
#include "base/log.h"

namespace fairway::apiserver::storage {

namespace {

/// What one COMMIT may have: more would make those wait who come first.
constexpr std::size_t most_requests = 2048;
constexpr std::size_t most_bytes = 16 << 20;
/// Changes that one transaction of compaction looks at, so that writes wait for milliseconds.
constexpr std::size_t compaction_step = 1000;

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

}  // namespace

/// One transaction of SQLite: the writes of all who wait, checked and made one after the other.
class Engine::Batch {
 public:
  Batch(History& history, Revision revision, std::int64_t time)
      : history_(history), revision_(revision), time_(time) {}

  Result<Written> add(Request& request) {
    Written written;
    for (std::size_t i = 0; i < request.changes.size(); ++i) {
      const auto& one = request.changes[i];
      auto current = find(one);
      const auto& required = one.change.precondition;
      bool met = (current != nullptr || one.change.body.has_value() || one.change.check_only) &&
                 (required.kind != Precondition::Kind::absent || current == nullptr) &&
                 (required.kind != Precondition::Kind::revision ||
                  (current != nullptr && current->revision() == required.revision));
      if (!met) {
        written.conflict = Conflict{i, std::move(current)};
        return written;
      }
    }
    written.records.reserve(request.changes.size());
    for (auto& one : request.changes) {
      if (one.change.check_only) {
        written.records.push_back(find(one));
        continue;
      }
      auto record = write(one);
      if (!record) return fail(record.error());
      written.records.push_back(std::move(*record));
    }
    return written;
  }

  Revision revision() const { return revision_; }
  std::map<ResourceCache*, std::vector<EventPtr>>& events() { return events_; }
  /// The transaction was rolled back.
  void forget() {
    for (auto* cache : added_) cache->id = 0;
  }

 private:
  RecordPtr find(const PreparedChange& one) const {
    auto found = pending_.find({one.cache.get(), one.path});
    return found != pending_.end() ? found->second : one.cache->find(one.path);
  }

  Result<RecordPtr> write(PreparedChange& one) {
    auto& cache = *one.cache;
    if (cache.id == 0) {
      auto id = history_.add_resource(cache.name());
      if (!id) return fail(id.error());
      cache.id = *id;
      added_.push_back(&cache);
    }
    auto event = std::make_shared<Event>();
    event->previous = find(one);
    ++revision_;
    if (one.change.body) {
      event->type = event->previous == nullptr ? EventType::added : EventType::modified;
      std::size_t slot = 0;
      auto json = one.change.body->with_revision(revision_, slot);
      event->record =
          std::make_shared<const Record>(one.path, revision_, std::move(json), slot, one.change.body->form());
    } else {
      event->type = EventType::deleted;
      event->record = event->previous->at(revision_);
    }
    if (auto ok = history_.insert(cache.id, event->type, *event->record, time_); !ok) return fail(ok.error());
    pending_[{one.cache.get(), one.path}] = one.change.body ? event->record : nullptr;
    auto record = event->record;
    events_[&cache].push_back(std::move(event));
    return record;
  }

  History& history_;
  Revision revision_;
  const std::int64_t time_;
  std::map<std::pair<const ResourceCache*, std::string_view>, RecordPtr> pending_;  ///< null: deleted
  std::map<ResourceCache*, std::vector<EventPtr>> events_;
  std::vector<ResourceCache*> added_;
};

std::unique_lock<std::mutex> Engine::lock_database() {
  return open_reader_ ? std::unique_lock<std::mutex>() : std::unique_lock(reader_mutex_);
}

void Engine::run() {
  std::vector<Request> requests;
  while (true) {
    requests.clear();
    {
      std::unique_lock lock(queue_mutex_);
      queued_.wait(lock, [&] { return !queue_.empty() || stopping_ || compaction_; });
      if (queue_.empty() && stopping_) return;
      requests.swap(queue_);
    }
    process(requests);
    if (options_.clock->steady().time_since_epoch().count() >= compaction_due_) {
      compaction_due_ = (options_.clock->steady() + options_.keep / 10).time_since_epoch().count();
      compaction_ = committed_;
    }
    if (compaction_) compact_some();
  }
}

void Engine::process(std::span<Request> requests) {
  // Tasks and writes in the order in which they came.
  for (std::size_t at = 0; at < requests.size();) {
    if (requests[at].task) {
      requests[at++].task();
      continue;
    }
    auto begin = at;
    for (std::size_t bytes = 0; at < requests.size() && !requests[at].task && at - begin < most_requests;
         ++at) {
      for (const auto& one : requests[at].changes) bytes += one.change.body ? one.change.body->size() : 0;
      if (bytes > most_bytes && at > begin) break;
    }
    commit(requests.subspan(begin, at - begin));
  }
}

void Engine::commit(std::span<Request> writes) {
  std::vector<std::optional<Result<Written>>> answers(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    for (auto& one : writes[i].changes) {
      if (one.cache->loaded()) continue;
      if (auto ok = load(*one.cache); !ok) {
        answers[i] = fail(ok.error());
        break;
      }
    }
  }
  Batch batch(*writer_, committed_, milliseconds(options_.clock->now()));
  auto in_transaction = [&]() -> Result<void> {
    if (auto ok = writer_->begin(); !ok) return ok;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (answers[i]) continue;
      auto written = batch.add(writes[i]);
      if (!written) return fail(written.error());
      answers[i] = std::move(written);
    }
    return writer_->commit();
  };
  auto lock = lock_database();
  auto done = in_transaction();
  if (!done) writer_->database().roll_back();
  if (lock.owns_lock()) lock.unlock();
  if (!done) {
    batch.forget();
    set_health(done.error());
    for (auto& write : writes) write.done(fail(done.error()));
    return;
  }
  if (batch.revision() != committed_) {
    set_health(std::nullopt);
    ++commits_;
    changes_ += static_cast<std::uint64_t>(batch.revision() - committed_);
    committed_.store(batch.revision(), std::memory_order_release);
    // All resources, then the revision, then whoever waits: who sees the revision finds everything up to it.
    for (auto& [cache, events] : batch.events()) cache->apply(events);
    revision_.store(batch.revision(), std::memory_order_release);
    revision_.notify_all();
    for (auto& [cache, events] : batch.events()) cache->wake_subscribers(events);
  }
  for (std::size_t i = 0; i < writes.size(); ++i) writes[i].done(std::move(*answers[i]));
}

Result<void> Engine::load(ResourceCache& cache) {
  if (cache.loaded()) return {};
  auto lock = lock_database();
  auto id = writer_->find_resource(cache.name());
  if (!id) return fail(id.error());
  auto state = writer_->load(*id, compacted_, options_.ring_events, options_.ring_bytes);
  if (!state) return fail(state.error().within("reading all " + cache.name()));
  cache.id = *id;
  cache.load(std::move(*state), committed_);
  return {};
}

void Engine::compact_if_due() {
  auto due = compaction_due_.load();
  if (options_.clock->steady().time_since_epoch().count() < due) return;
  // The writer looks at the time after each task.
  Request request;
  request.task = [] {};
  submit(std::move(request));
}

Result<void> Engine::compact(Revision revision) {
  if (revision > this->revision()) {
    return fail(ErrorCode::invalid, "compacting up to revision " + std::to_string(revision) +
                                        ": the newest is " + std::to_string(this->revision()));
  }
  return on_writer([&]() -> Result<void> {
    if (revision <= compacted_) return {};
    compaction_ = revision;
    compact_all_ = true;
    while (compaction_) compact_some();
    compact_all_ = false;
    if (compaction_error_) return fail(*std::exchange(compaction_error_, std::nullopt));
    return {};
  });
}

void Engine::compact_some() {
  auto now = milliseconds(options_.clock->now());
  auto keep = std::chrono::duration_cast<std::chrono::milliseconds>(options_.keep).count();
  auto before = compact_all_ ? INT64_MAX : now - keep;
  auto lock = lock_database();
  auto step = [&]() -> Result<History::Compaction> {
    if (auto ok = writer_->begin(); !ok) return fail(ok.error());
    auto done = writer_->compact(compacted_, *compaction_, before, now, compaction_step);
    if (!done) return done;
    if (auto ok = writer_->commit(); !ok) return fail(ok.error());
    return done;
  };
  auto done = step();
  if (!done) {
    // What failed is tried again at the next time.
    writer_->database().roll_back();
    compaction_.reset();
    compaction_error_ = done.error();
    log::warning("the storage could not be compacted", {{"error", done.error().message}});
    return;
  }
  compacted_.store(std::max(compacted_.load(), done->done), std::memory_order_release);
  if (done->finished) compaction_.reset();
}

void Engine::set_health(const std::optional<Error>& error) {
  std::lock_guard lock(health_mutex_);
  if (error && !health_) log::error("writing to the storage fails", {{"error", error->message}});
  if (!error && health_) log::info("writing to the storage succeeds again");
  health_ = error;
}

}  // namespace fairway::apiserver::storage
