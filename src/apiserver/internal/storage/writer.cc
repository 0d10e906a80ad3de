// SPDX-License-Identifier: Apache-2.0

// The writer's thread: group commit, loads and compaction.
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "apiserver/internal/storage/engine.h"
#include "apiserver/internal/storage/row_bytes.h"
#include "base/log.h"

namespace fairway::apiserver::storage {

namespace {

/// Requests and bytes that one COMMIT may have: more would make the first ones wait.
constexpr std::size_t most_requests = 2048;
constexpr std::size_t most_bytes = 16 << 20;
/// Changes that one transaction of compaction reads, and bytes that it frees, so that writes wait for
/// milliseconds.
constexpr std::size_t compaction_step = 1000;
constexpr std::int64_t compaction_bytes = 4 << 20;
/// Part of the bound of bytes by which compaction goes below it, so that not every write needs it.
constexpr std::int64_t slack_part = 8;
/// Part of the file that is kept as free pages for the next writes.
constexpr std::int64_t free_part = 8;
/// Bytes that may be written before the files are measured again: their size is estimated meanwhile.
constexpr std::int64_t measured_bytes = 1 << 20;
/// Bytes that have to be freed before the allocator is asked to return memory, which takes milliseconds.
constexpr std::int64_t trimmed_bytes = 16 << 20;

std::int64_t milliseconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

/// Returns the bytes of the row of a write; 0 for a deletion, which is never refused.
std::int64_t row_bytes_of(std::string_view path, const Change& change) {
  if (!change.body) return 0;
  return row_bytes(static_cast<std::int64_t>(path.size()), static_cast<std::int64_t>(change.body->size()));
}

}  // namespace

/// One transaction of SQLite: the writes of all waiting requests, checked and made one after the other.
class Engine::Batch {
 public:
  Batch(History& history, Revision revision, std::int64_t time)
      : history_(history), revision_(revision), time_(time) {}

  /// Returns the first change of a request whose precondition does not hold.
  std::optional<Conflict> conflict_of(const Request& request) const {
    for (std::size_t i = 0; i < request.changes.size(); ++i) {
      const auto& one = request.changes[i];
      auto current = find(one);
      const auto& required = one.change.precondition;
      bool met = (current != nullptr || one.change.body.has_value() || one.change.check_only) &&
                 (required.kind != Precondition::Kind::absent || current == nullptr) &&
                 (required.kind != Precondition::Kind::revision ||
                  (current != nullptr && current->revision() == required.revision));
      if (!met) return Conflict{i, std::move(current)};
    }
    return std::nullopt;
  }

  Result<Written> add(Request& request) {
    Written written{.records = {}, .conflict = conflict_of(request)};
    if (written.conflict) return written;
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
  /// Bytes of the rows of the writes.
  std::int64_t added() const { return added_bytes_; }
  /// Bytes that the writes have turned into history.
  std::int64_t superseded() const { return superseded_; }
  std::map<ResourceCache*, std::vector<EventPtr>>& events() { return events_; }
  /// Undoes the changes of memory after the transaction was rolled back.
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
    const auto path_bytes = static_cast<std::int64_t>(one.path.size());
    if (event->previous != nullptr) {
      superseded_ += row_bytes(path_bytes, static_cast<std::int64_t>(event->previous->json().size()));
    }
    const bool is_deletion = event->type == EventType::deleted;
    const auto bytes =
        row_bytes(path_bytes, is_deletion ? 0 : static_cast<std::int64_t>(event->record->json().size()));
    added_bytes_ += bytes;
    if (is_deletion) superseded_ += bytes;
    pending_[{one.cache.get(), one.path}] = one.change.body ? event->record : nullptr;
    auto record = event->record;
    events_[&cache].push_back(std::move(event));
    return record;
  }

  History& history_;
  Revision revision_;
  const std::int64_t time_;
  std::int64_t added_bytes_ = 0, superseded_ = 0;
  std::map<std::pair<const ResourceCache*, std::string_view>, RecordPtr> pending_;  ///< null: deleted
  std::map<ResourceCache*, std::vector<EventPtr>> events_;
  std::vector<ResourceCache*> added_;
};

std::unique_lock<FairMutex> Engine::lock_database() {
  return open_reader_ ? std::unique_lock<FairMutex>() : std::unique_lock(reader_mutex_);
}

void Engine::run() {
  std::vector<Request> requests;
  while (true) {
    requests.clear();
    {
      std::unique_lock lock(queue_mutex_);
      queued_.wait(lock, [&] { return !queue_.empty() || stopping_ || compaction_ || is_shrinking_; });
      if (queue_.empty() && stopping_) break;
      requests.swap(queue_);
    }
    process(requests);
    if (options_.clock->steady().time_since_epoch().count() >= compaction_due_) {
      compaction_due_ = (options_.clock->steady() + options_.keep / 10).time_since_epoch().count();
      compaction_ = committed_;
      expire();
    }
    if (history_bytes_ > most_history()) compaction_ = committed_;
    if (compaction_) {
      compact_some();
    } else if (is_shrinking_) {
      shrink_some();
    }
  }
  keep_history_bytes();
}

void Engine::keep_history_bytes() {
  const std::pair<Revision, Revision> state{committed_, compacted_};
  if (file_.empty() || state == kept_state_) return;
  // Where it fails, the next start counts.
  const auto kept = writer_->keep_superseded_bytes(state.first, state.second, history_bytes_);
  if (kept) kept_state_ = state;
}

void Engine::process(std::span<Request> requests) {
  const std::size_t most = quota_.most_commit_bytes(most_bytes);
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
      if (bytes > most && at > begin) break;
    }
    commit(requests.subspan(begin, at - begin));
  }
}

void Engine::commit(std::span<Request> writes) {
  make_room(writes);
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
  std::optional<Error> refused;
  std::int64_t refused_bytes = 0;
  auto in_transaction = [&]() -> Result<void> {
    if (auto ok = writer_->begin(); !ok) return ok;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (answers[i]) continue;
      if (auto no_room = check_room(writes[i], batch.added())) {
        // A write with a conflict is answered with the conflict, and not with the lack of room.
        if (auto conflict = batch.conflict_of(writes[i])) {
          answers[i] = Written{.records = {}, .conflict = std::move(conflict)};
          continue;
        }
        refused = no_room;
        for (const auto& one : writes[i].changes) refused_bytes += row_bytes_of(one.path, one.change);
        answers[i] = fail(*std::move(no_room));
        continue;
      }
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
    history_bytes_ += batch.superseded();
    used_bytes_ += batch.added();
    unmeasured_ += batch.added();
    committed_.store(batch.revision(), std::memory_order_release);
    record_age();
    // All resources, then the revision, then whoever waits: who sees the revision finds everything up to it.
    for (auto& [cache, events] : batch.events()) cache->apply(events);
    revision_.store(batch.revision(), std::memory_order_release);
    revision_.notify_all();
    for (auto& [cache, events] : batch.events()) cache->wake_subscribers(events);
  }
  if (refused) {
    refused_bytes_ = std::max(refused_bytes_, std::min(refused_bytes, quota_.reserve()));
    set_alarm(refused);
  }
  for (std::size_t i = 0; i < writes.size(); ++i) writes[i].done(std::move(*answers[i]));
  if (unmeasured_ > measured_bytes || (quota_.is_set() && used_bytes_ > quota_.calm() - measured_bytes))
    measure();
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
  const std::int64_t most = most_history();
  // Once it has begun it goes on until there is slack, also where each step ends before.
  if (history_bytes_ > most) over_bytes_ = true;
  const std::int64_t must_free = over_bytes_ ? history_bytes_ - (most - most / slack_part) : 0;
  auto lock = lock_database();
  auto step = [&]() -> Result<History::Compaction> {
    if (auto ok = writer_->begin(); !ok) return fail(ok.error());
    auto done = writer_->compact({.from = compacted_,
                                  .upto = *compaction_,
                                  .before = before,
                                  .must_free = must_free,
                                  .now = now,
                                  .most_changes = compaction_step,
                                  // Not slower than writes come.
                                  .most_bytes = std::max(compaction_bytes, (history_bytes_ - most) / 2)});
    if (!done) return done;
    if (auto ok = writer_->commit(); !ok) return fail(ok.error());
    return done;
  };
  auto done = step();
  if (!done) {
    // A failed step is tried again the next time.
    writer_->database().roll_back();
    compaction_.reset();
    over_bytes_ = false;
    compaction_error_ = done.error();
    log::warning("the storage could not be compacted", {{"error", done.error().message}});
    return;
  }
  compacted_.store(std::max(compacted_.load(), done->done), std::memory_order_release);
  history_bytes_ -= done->freed;
  freed_ += done->freed;
  if (!done->finished) return;
  compaction_.reset();
  over_bytes_ = false;
  if (compact_all_) expired_ = std::max(expired_.load(), compacted_.load());
  if (lock.owns_lock()) lock.unlock();
  trim_rings();
  is_shrinking_ = can_shrink_;
  measure();
}

void Engine::record_age() {
  const SteadyTime now = options_.clock->steady();
  if (ages_.empty() || now - ages_.back().begin >= options_.keep / 10) {
    ages_.push_back({now, now, committed_});
  } else {
    ages_.back() = {ages_.back().begin, now, committed_};
  }
}

void Engine::expire() {
  const SteadyTime before = options_.clock->steady() - options_.keep;
  for (; !ages_.empty() && ages_.front().end <= before; ages_.pop_front())
    expired_ = std::max(expired_.load(), ages_.front().revision);
}

void Engine::trim_rings() {
  const Revision upto = expired_;
  std::shared_lock lock(caches_mutex_);
  for (const auto& [name, cache] : caches_) {
    if (!cache->loaded()) continue;
    // Watches had from the last compaction to this one to read on.
    cache->forget(forgotten_);
    cache->wake_those_before(upto);
  }
  forgotten_ = upto;
}

std::int64_t Engine::most_history() const {
  return quota_.history(used_bytes_ - history_bytes_ + pending_bytes_, options_.history_bytes);
}

void Engine::make_room(std::span<const Request> writes) {
  if (!quota_.is_set()) return;
  for (const auto& write : writes) {
    for (const auto& one : write.changes) pending_bytes_ += row_bytes_of(one.path, one.change);
  }
  for (std::int64_t before = INT64_MAX; used_bytes_ + pending_bytes_ > quota_.ordinary() &&
                                        history_bytes_ > most_history() && history_bytes_ < before;) {
    before = history_bytes_;
    compaction_ = committed_;
    compact_some();
    measure();
  }
  pending_bytes_ = 0;
}

std::optional<Error> Engine::check_room(const Request& request, std::int64_t added) const {
  if (!quota_.is_set()) return std::nullopt;
  std::int64_t wanted = 0;
  Room room = Room::server;
  for (const auto& one : request.changes) {
    if (!one.change.body) continue;
    wanted += row_bytes_of(one.path, one.change);
    room = std::min(room, one.change.room);
  }
  // Subtracted, as the server's limit is the largest number.
  if (wanted == 0 || used_bytes_ + added <= quota_.limit(room) - wanted) return std::nullopt;
  // The words of etcd, which clients may know.
  return Error{ErrorCode::unavailable, "writing to the storage: etcdserver: mvcc: database space exceeded: " +
                                           std::to_string(used_bytes_ + added) + " of " +
                                           std::to_string(quota_.bytes()) +
                                           " bytes of the quota are used, and the rest is for deletions and "
                                           "Leases; delete objects that nobody "
                                           "needs, or start the server with a larger --disk-quota"};
}

void Engine::measure() {
  unmeasured_ = 0;
  const auto lock = lock_database();
  const auto pages = writer_->pages();
  // Who writes next is told what is wrong.
  if (!pages) return;
  std::error_code error;
  std::int64_t log = 0;
  if (!file_.empty() && options_.vfs.empty()) {
    const auto size = std::filesystem::file_size(file_ + "-wal", error);
    if (!error) log = static_cast<std::int64_t>(size);
  }
  file_bytes_ = pages->all * page_bytes + log;
  used_bytes_ = (pages->all - pages->free) * page_bytes + log;
  if (!quota_.is_set()) return;
  // Writes that were refused have to fit, too.
  const auto is_calm = [&] { return used_bytes_ + refused_bytes_ <= quota_.calm(); };
  if (!is_calm() && log > 0 && !compaction_ && writer_->empty_log()) {
    // The contents of the log are in the database now.
    used_bytes_ -= log;
    file_bytes_ -= log;
  }
  if (!is_calm()) return;
  refused_bytes_ = 0;
  set_alarm(std::nullopt);
}

void Engine::shrink_some() {
  auto lock = lock_database();
  const auto pages = writer_->pages();
  const bool is_done = !pages || pages->free <= std::max(History::most_free_pages, pages->all / free_part);
  if (!is_done) {
    if (auto done = writer_->shrink(); done) return;
  }
  // Done, or it failed and is tried again after the next compaction.
  is_shrinking_ = false;
  if (lock.owns_lock()) lock.unlock();
  measure();
  if (freed_ < trimmed_bytes) return;
  freed_ = 0;
  ::malloc_trim(0);
}

void Engine::set_alarm(const std::optional<Error>& error) {
  std::lock_guard lock(health_mutex_);
  if (error && !alarm_) log::error("the quota of the storage is used up", {{"error", error->message}});
  if (!error && alarm_) log::info("the storage has room again");
  alarm_ = error;
}

void Engine::set_health(const std::optional<Error>& error) {
  std::lock_guard lock(health_mutex_);
  if (error && !health_) log::error("writing to the storage fails", {{"error", error->message}});
  if (!error && health_) log::info("writing to the storage succeeds again");
  health_ = error;
}

}  // namespace fairway::apiserver::storage
