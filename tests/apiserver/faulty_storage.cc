// SPDX-License-Identifier: Apache-2.0

#include "apiserver/faulty_storage.h"

#include <array>
#include <mutex>
#include <set>
#include <utility>

namespace fairway::apiserver::storage {

namespace {

enum class Fault { cut_watch, cut_after, late_events, expired, conflict, failed_write, lost_answer };

std::uint64_t mix(std::uint64_t value) {
  // SplitMix64: each input has its own random output.
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

Error injected(std::string what) {
  return {ErrorCode::unavailable, std::move(what) + ": an injected fault"};
}

}  // namespace

struct FaultyStorage::State {
  mutable std::mutex mutex;
  FaultOptions options;
  std::array<std::uint64_t, 7> decisions{};
  std::uint64_t faults = 0;
  bool dead = false, held = false;
  std::set<FaultyWatch*> watches;

  /// Returns the next number from [0, 1). `mutex` has to be held.
  double next(Fault kind) {
    auto index = static_cast<std::size_t>(kind);
    auto bits = mix(mix(options.seed * 16 + index) + ++decisions[index]);
    return static_cast<double>(bits >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  }
  bool happens(Fault kind, double FaultOptions::* chance) {
    std::lock_guard lock(mutex);
    if (options.*chance <= 0 || next(kind) >= options.*chance) return false;
    ++faults;
    return true;
  }
  bool is_dead() const {
    std::lock_guard lock(mutex);
    return dead;
  }
};

class FaultyStorage::FaultyWatch final : public Watch {
 public:
  FaultyWatch(std::unique_ptr<Watch> inner, std::shared_ptr<State> state, Revision from)
      : inner_(std::move(inner)), state_(std::move(state)), delivered_(from) {
    std::lock_guard lock(state_->mutex);
    state_->watches.insert(this);
  }
  ~FaultyWatch() override {
    inner_->on_ready({});
    std::lock_guard lock(state_->mutex);
    state_->watches.erase(this);
  }

  WatchBatch poll(std::size_t limit) override {
    WatchBatch batch;
    {
      std::lock_guard lock(state_->mutex);
      if (cut_) end_ = true;
      batch.revision = delivered_;
      if (state_->held && !end_) return batch;
    }
    if (end_) return ended(std::move(batch));
    if (late_.events.empty() && !late_.end) {
      batch = inner_->poll(limit);
      if (!batch.events.empty() && state_->happens(Fault::late_events, &FaultOptions::late_events)) {
        late_ = std::exchange(batch, {});
        batch.revision = delivered_;
        return batch;
      }
    } else {
      batch = std::exchange(late_, {});
    }
    if (!batch.events.empty() && state_->happens(Fault::cut_watch, &FaultOptions::cut_watch)) {
      std::size_t keep = 0;
      {
        std::lock_guard lock(state_->mutex);
        keep = static_cast<std::size_t>(state_->next(Fault::cut_after) *
                                        static_cast<double>(batch.events.size()));
      }
      batch.events.resize(keep);
      if (!batch.events.empty()) delivered_ = batch.events.back()->revision();
      end_ = true;
      return ended(std::move(batch));
    }
    delivered_ = batch.revision;
    return batch;
  }

  void on_ready(std::function<void()> ready) override {
    if (!ready) inner_->on_ready({});
    bool now = false;
    {
      std::lock_guard lock(ready_mutex_);
      ready_ = std::move(ready);
      if (!ready_) return;
    }
    {
      std::lock_guard lock(state_->mutex);
      now = cut_ || (!state_->held && (end_ || !late_.events.empty() || late_.end));
    }
    if (now) return wake();
    inner_->on_ready([this] {
      bool held = false;
      {
        std::lock_guard lock(state_->mutex);
        held = state_->held;
      }
      if (!held) wake();
    });
  }
  bool may_block() const override { return inner_->may_block(); }
  Revision revision() const override { return delivered_; }

  void wake() {
    std::lock_guard lock(ready_mutex_);
    if (auto ready = std::exchange(ready_, nullptr)) ready();
  }
  /// Cuts the watch. The state's mutex has to be held.
  void cut() { cut_ = true; }

 private:
  WatchBatch ended(WatchBatch batch) const {
    batch.revision = delivered_;
    batch.end = WatchEnd::closed;
    batch.reason = "the watch was cut: an injected fault";
    return batch;
  }

  std::unique_ptr<Watch> inner_;
  std::shared_ptr<State> state_;
  Revision delivered_;
  WatchBatch late_;
  bool end_ = false;
  bool cut_ = false;  ///< guarded by the state's mutex
  std::mutex ready_mutex_;
  std::function<void()> ready_;
};

FaultyStorage::FaultyStorage(std::unique_ptr<Storage> inner, FaultOptions options)
    : inner_(std::move(inner)), state_(std::make_shared<State>()) {
  state_->options = options;
}

FaultyStorage::~FaultyStorage() = default;

void FaultyStorage::set_faults(const FaultOptions& options) {
  std::lock_guard lock(state_->mutex);
  state_->options = options;
}

void FaultyStorage::cut_watches() {
  std::lock_guard lock(state_->mutex);
  state_->faults += state_->watches.size();
  for (auto* watch : state_->watches) watch->cut();
  for (auto* watch : state_->watches) watch->wake();
}

void FaultyStorage::hold_events(bool hold) {
  std::lock_guard lock(state_->mutex);
  state_->held = hold;
  if (hold) return;
  for (auto* watch : state_->watches) watch->wake();
}

void FaultyStorage::set_dead(bool dead) {
  {
    std::lock_guard lock(state_->mutex);
    state_->dead = dead;
  }
  if (dead) cut_watches();
}

std::uint64_t FaultyStorage::faults() const {
  std::lock_guard lock(state_->mutex);
  return state_->faults;
}

Revision FaultyStorage::revision() const {
  return inner_->revision();
}

Revision FaultyStorage::compacted_revision() const {
  return inner_->compacted_revision();
}

ReadResult<void> FaultyStorage::check_past(Revision revision) {
  if (state_->is_dead()) {
    return std::unexpected(ReadError{ReadError::Kind::failed, injected("reading the storage")});
  }
  if (revision != 0 && revision < inner_->revision() &&
      state_->happens(Fault::expired, &FaultOptions::expired)) {
    return std::unexpected(
        ReadError{ReadError::Kind::compacted, injected("reading revision " + std::to_string(revision))});
  }
  return {};
}

ReadResult<RecordPtr> FaultyStorage::get(const Key& key, Revision revision) {
  if (auto ok = check_past(revision); !ok) return std::unexpected(ok.error());
  return inner_->get(key, revision);
}

ReadResult<List> FaultyStorage::list(const ListQuery& query) {
  if (auto ok = check_past(query.revision); !ok) return std::unexpected(ok.error());
  return inner_->list(query);
}

ReadResult<std::unique_ptr<Watch>> FaultyStorage::watch(const WatchQuery& query) {
  if (auto ok = check_past(query.from); !ok) return std::unexpected(ok.error());
  auto inner = inner_->watch(query);
  if (!inner) return inner;
  return std::make_unique<FaultyWatch>(std::move(*inner), state_, query.from);
}

void FaultyStorage::write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) {
  if (state_->is_dead() || state_->happens(Fault::failed_write, &FaultOptions::failed_write)) {
    return done(fail(injected("writing to the storage")));
  }
  for (const auto& change : changes) {
    if (change.precondition.kind != Precondition::Kind::revision) continue;
    if (!state_->happens(Fault::conflict, &FaultOptions::conflict)) continue;
    auto current = inner_->get(change.key);
    if (!current || *current == nullptr) continue;
    auto same = Body::of((*current)->json());
    if (!same) continue;
    // It stands before the write in the queue.
    std::vector<Change> other;
    other.push_back({change.key, Precondition::at((*current)->revision()), std::move(*same)});
    inner_->write_async(std::move(other), [](const Result<Written>&) {});
  }
  if (state_->happens(Fault::lost_answer, &FaultOptions::lost_answer)) {
    auto lose = [done = std::move(done)](Result<Written> written) {
      done(written && written->conflict ? std::move(written) : fail(injected("writing to the storage")));
    };
    return inner_->write_async(std::move(changes), std::move(lose));
  }
  inner_->write_async(std::move(changes), std::move(done));
}

Result<void> FaultyStorage::drop(std::string_view resource) {
  if (state_->is_dead()) return fail(injected("writing to the storage"));
  return inner_->drop(resource);
}

Result<void> FaultyStorage::invalidate(std::string_view resource) {
  return inner_->invalidate(resource);
}

Result<std::optional<std::string>> FaultyStorage::value(std::string_view name) {
  if (state_->is_dead()) return fail(injected("reading the storage"));
  return inner_->value(name);
}

Result<void> FaultyStorage::set_value(std::string_view name, std::string_view value) {
  if (state_->is_dead()) return fail(injected("writing to the storage"));
  return inner_->set_value(name, value);
}

Result<void> FaultyStorage::compact(Revision revision) {
  return inner_->compact(revision);
}

Result<void> FaultyStorage::health() const {
  if (state_->is_dead()) return fail(injected("using the storage"));
  return inner_->health();
}

StorageCounts FaultyStorage::counts() const {
  return inner_->counts();
}

void FaultyStorage::close() {
  inner_->close();
}

}  // namespace fairway::apiserver::storage
