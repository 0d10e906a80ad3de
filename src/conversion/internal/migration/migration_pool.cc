// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/migration_pool.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace fairway::conversion {

namespace {

bool names(const std::vector<std::string>& definitions, const std::string& definition) {
  return std::ranges::find(definitions, definition) != definitions.end();
}

Result<kube::Requeue> run_guarded(const MigrationPool::Migration& migration, const std::stop_token& stop) {
  try {
    return migration.run(stop);
  } catch (const std::exception& thrown) {
    return fail(ErrorCode::internal, std::string("the migration threw: ") + thrown.what());
  }
}

}  // namespace

/// The migrations ahead of one: those that run, and those that wait before it.
class MigrationPool::Ahead {
 public:
  explicit Ahead(const MigrationPool& pool)
      : most_(pool.concurrent_), free_(pool.concurrent_ - pool.running_) {
    for (const Entry& entry : pool.entries_) {
      if (entry.running) take(entry);
    }
  }
  /// Returns the reason why a migration of these definitions waits now; std::nullopt if nothing is in its
  /// way.
  std::optional<std::string> reason_to_wait(const std::vector<std::string>& definitions) const {
    for (const std::string& definition : definitions) {
      if (const auto found = taken_.find(definition); found != taken_.end()) {
        return "it waits for the Conversion " + found->second->to_string() + ", which migrates " + definition;
      }
    }
    if (free_ > 0) return std::nullopt;
    return "it waits for its turn: at most " + std::to_string(most_) + " migrations run at once";
  }
  /// Adds a waiting migration, so that later ones do not overtake it forever.
  void add_waiting(const Entry& entry) {
    if (entry.may_start() && !reason_to_wait(entry.migration.definitions)) --free_;
    take(entry);
  }

 private:
  void take(const Entry& entry) {
    for (const std::string& definition : entry.migration.definitions)
      taken_.try_emplace(definition, &entry.migration.key);
  }

  const int most_;
  int free_;                                           ///< number of further migrations that may start
  std::map<std::string_view, const k8s::Key*> taken_;  ///< keys of Conversions by definition
};

MigrationPool::MigrationPool(int concurrent, OnKey on_end, OnKey on_outdated, metrics::Registry* registry,
                             Clock& clock, std::chrono::nanoseconds stall_timeout)
    : concurrent_(std::max(concurrent, 1)),
      on_end_(std::move(on_end)),
      on_outdated_(std::move(on_outdated)),
      clock_(clock),
      stall_timeout_(stall_timeout) {
  if (registry == nullptr) return;
  const auto gauge = [&](const char* state) {
    return registry->gauge("fairway_conversion_migrations", "Storage migrations of Conversions",
                           {{"state", state}});
  };
  running_gauge_ = gauge("running");
  waiting_gauge_ = gauge("waiting");
}

/// Updates the pool after each change of the entries. Returns the waiting migrations whose reason to wait
/// differs from the recorded one.
std::vector<k8s::Key> MigrationPool::entries_changed_locked() {
  if (running_gauge_) {
    running_gauge_->set(running_);
    waiting_gauge_->set(static_cast<double>(entries_.size()) - running_);
  }
  changed_.notify_all();
  std::vector<k8s::Key> outdated;
  Ahead ahead(*this);
  for (Entry& entry : entries_) {
    if (entry.running) continue;
    const auto reason = ahead.reason_to_wait(entry.migration.definitions);
    if (reason && reason != entry.migration.reason_to_wait && entry.may_start()) {
      entry.changed = true;
      outdated.push_back(entry.migration.key);
    }
    ahead.add_waiting(entry);
  }
  return outdated;
}

void MigrationPool::tell_outdated(const std::vector<k8s::Key>& keys) const {
  for (const k8s::Key& key : keys) on_outdated_(key);
}

MigrationPool::Entries::iterator MigrationPool::find_locked(const k8s::Key& key) {
  return std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.migration.key == key; });
}

/// The next one to start; the end if none can.
MigrationPool::Entries::iterator MigrationPool::next_locked() {
  Ahead ahead(*this);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->may_start() && !ahead.reason_to_wait(entry->migration.definitions)) return entry;
    if (!entry->running) ahead.add_waiting(*entry);
  }
  return entries_.end();
}

void MigrationPool::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    std::vector<std::stop_source> running;
    {
      const std::lock_guard lock(mutex_);
      for (const Entry& entry : entries_) {
        if (entry.running) running.push_back(entry.stop);
      }
    }
    for (std::stop_source& one : running) one.request_stop();
  });
  {
    std::vector<std::jthread> helpers;
    const auto wanted = static_cast<std::size_t>(concurrent_) - 1;
    helpers.reserve(wanted);
    while (helpers.size() < wanted) {
      try {
        helpers.emplace_back([&] { work(stop); });
      } catch (const std::system_error& error) {
        log::warning("fewer migrations run at once: the system gives no more threads",
                     {{"migrations", helpers.size() + 1}, {"error", error.what()}});
        std::unique_lock lock(mutex_);
        concurrent_ = static_cast<int>(helpers.size()) + 1;
        const auto outdated = entries_changed_locked();
        lock.unlock();
        tell_outdated(outdated);
        break;
      }
    }
    std::jthread monitor;
    try {
      monitor = std::jthread([this](const std::stop_token& ended) { stop_stalled(ended); });
    } catch (const std::system_error& error) {
      log::warning("a migration that gets no answers will not be stopped: the system gives no more threads",
                   {{"error", error.what()}});
    }
    work(stop);
  }
  const std::lock_guard lock(mutex_);
  entries_.clear();
  entries_changed_locked();
}

void MigrationPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    auto entry = entries_.end();
    changed_.wait(lock, stop, [&] { return (entry = next_locked()) != entries_.end(); });
    if (stop.stop_requested()) return;
    entry->running = true;
    if (entry->migration.activity) entry->migration.activity->record();
    ++running_;
    auto outdated = entries_changed_locked();
    lock.unlock();
    tell_outdated(outdated);
    // A running entry stays in the list.
    auto result = run_guarded(entry->migration, entry->stop.get_token());
    lock.lock();
    const k8s::Key key = entry->migration.key;
    const bool stalled = entry->stalled && !result && result.error().code == ErrorCode::cancelled;
    ended_.insert_or_assign(key, Ended{.uid = entry->migration.uid,
                                       .generation = entry->migration.generation,
                                       .definitions = entry->migration.definitions,
                                       .changed = entry->changed,
                                       .stalled = stalled,
                                       .result = std::move(result)});
    entries_.erase(entry);
    --running_;
    outdated = entries_changed_locked();
    lock.unlock();
    on_end_(key);
    tell_outdated(outdated);
    lock.lock();
  }
}

/// Returns whether a definition has changed while the migration was planned.
bool MigrationPool::is_outdated_locked(const Migration& migration) const {
  if (!migration.planned_after) return false;
  return std::ranges::any_of(migration.definitions, [&](const std::string& definition) {
    const auto last = last_change_.find(definition);
    return last != last_change_.end() && last->second > *migration.planned_after;
  });
}

std::uint64_t MigrationPool::definition_changes() const {
  const std::lock_guard lock(mutex_);
  return definition_changes_;
}

/// Stops migrations that have stalled. Checks at least once in the timeout, so that none that starts
/// meanwhile is missed.
void MigrationPool::stop_stalled(const std::stop_token& stop) {
  SteadyTime next = clock_.steady();
  while (clock_.wait_until(next, stop)) {
    std::vector<std::stop_source> stalled;
    {
      const std::lock_guard lock(mutex_);
      const SteadyTime now = clock_.steady();
      next = now + stall_timeout_;
      for (Entry& entry : entries_) {
        if (!entry.running || !entry.migration.activity || entry.stop.stop_requested()) continue;
        const SteadyTime due = entry.migration.activity->quiet_since() + stall_timeout_;
        if (due > now) {
          next = std::min(next, due);
        } else {
          entry.stalled = true;
          stalled.push_back(entry.stop);
        }
      }
    }
    for (std::stop_source& one : stalled) one.request_stop();
  }
}

void MigrationPool::add(Migration migration) {
  std::optional<k8s::Key> missed;
  std::unique_lock lock(mutex_);
  ended_.erase(migration.key);
  const bool is_outdated = is_outdated_locked(migration);
  if (is_outdated) missed = migration.key;
  if (const auto before = find_locked(migration.key); before != entries_.end()) {
    // `changed` stays: that came while it was planned, and has it planned once more.
    before->migration = std::move(migration);
    before->planning = false;
    before->changed = before->changed || is_outdated;
  } else {
    entries_.push_back({.migration = std::move(migration), .changed = is_outdated});
  }
  auto outdated = entries_changed_locked();
  if (missed) outdated.push_back(*missed);
  lock.unlock();
  tell_outdated(outdated);
}

std::optional<std::string> MigrationPool::reason_to_wait(const k8s::Key& key,
                                                         const std::vector<std::string>& definitions) const {
  const std::lock_guard lock(mutex_);
  Ahead ahead(*this);
  for (const Entry& entry : entries_) {
    if (entry.migration.key == key) break;
    if (!entry.running) ahead.add_waiting(entry);
  }
  return ahead.reason_to_wait(definitions);
}

MigrationPool::Presence MigrationPool::begin_planning(const k8s::Key& key, std::string_view uid,
                                                      std::int64_t generation) {
  const std::lock_guard lock(mutex_);
  const auto entry = find_locked(key);
  if (entry == entries_.end()) return Presence::absent;
  const bool same = entry->migration.uid == uid && entry->migration.generation == generation;
  if (!same || entry->stop.stop_requested()) return Presence::other;
  entry->changed = entry->running;
  entry->planning = !entry->running;
  return entry->running ? Presence::running : Presence::waiting;
}

void MigrationPool::record_definition_change(const std::string& definition) {
  std::vector<k8s::Key> outdated;
  {
    const std::lock_guard lock(mutex_);
    last_change_[definition] = ++definition_changes_;
    for (Entry& entry : entries_) {
      if (!names(entry.migration.definitions, definition)) continue;
      entry.changed = true;
      if (!entry.running) outdated.push_back(entry.migration.key);
    }
    for (auto& [key, ended] : ended_) {
      if (names(ended.definitions, definition)) ended.changed = true;
    }
  }
  tell_outdated(outdated);
}

bool MigrationPool::cancel(const k8s::Key& key) {
  std::optional<std::stop_source> running;
  std::vector<k8s::Key> outdated;
  {
    const std::lock_guard lock(mutex_);
    ended_.erase(key);
    const auto entry = find_locked(key);
    if (entry == entries_.end()) return false;
    if (entry->running) {
      running = entry->stop;
    } else {
      entries_.erase(entry);
      outdated = entries_changed_locked();  // it may have been what another one waited for
    }
  }
  if (!running) {
    tell_outdated(outdated);
    return false;
  }
  running->request_stop();
  return true;
}

std::optional<MigrationPool::Ended> MigrationPool::take_result(const k8s::Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find(key);
  if (found == ended_.end()) return std::nullopt;
  Ended ended = std::move(found->second);
  ended_.erase(found);
  return ended;
}

}  // namespace fairway::conversion
