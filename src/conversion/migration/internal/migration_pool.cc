#include "conversion/migration/internal/migration_pool.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace fairway::conversion {

namespace {

/// The first of `wanted` that is in `taken`; nullptr if there is none.
const std::string* first_common(const std::vector<std::string>& wanted, const std::set<std::string>& taken) {
  const auto found = std::ranges::find_if(wanted, [&](const auto& one) { return taken.contains(one); });
  return found == wanted.end() ? nullptr : &*found;
}

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

MigrationPool::MigrationPool(int concurrent, std::function<void(const k8s::Key&)> on_end,
                             metrics::Registry* registry)
    : concurrent_(std::max(concurrent, 1)), on_end_(std::move(on_end)) {
  if (registry == nullptr) return;
  const auto gauge = [&](const char* state) {
    return registry->gauge("fairway_conversion_migrations", "Storage migrations of Conversions",
                           {{"state", state}});
  };
  running_gauge_ = gauge("running");
  waiting_gauge_ = gauge("waiting");
}

void MigrationPool::update_metrics_locked() {
  if (!running_gauge_) return;
  running_gauge_->set(running_);
  waiting_gauge_->set(static_cast<double>(entries_.size()) - running_);
}

MigrationPool::Entries::iterator MigrationPool::find_locked(const k8s::Key& key) {
  return std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.migration.key == key; });
}

/// The next one to start; the end if none can.
MigrationPool::Entries::iterator MigrationPool::next_locked() {
  if (running_ >= concurrent_) return entries_.end();
  std::set<std::string> taken;
  for (const Entry& entry : entries_) {
    if (entry.running) taken.insert(entry.migration.definitions.begin(), entry.migration.definitions.end());
  }
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->running) continue;
    const auto& definitions = entry->migration.definitions;
    if (first_common(definitions, taken) == nullptr) return entry;
    // Those after it must not overtake it forever.
    taken.insert(definitions.begin(), definitions.end());
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
                     {{"migrations", std::to_string(helpers.size() + 1)}, {"error", error.what()}});
        const std::lock_guard lock(mutex_);
        concurrent_ = static_cast<int>(helpers.size()) + 1;
        break;
      }
    }
    work(stop);
  }
  const std::lock_guard lock(mutex_);
  entries_.clear();
  update_metrics_locked();
}

void MigrationPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    auto entry = entries_.end();
    changed_.wait(lock, stop, [&] { return (entry = next_locked()) != entries_.end(); });
    if (stop.stop_requested()) return;
    entry->running = true;
    ++running_;
    update_metrics_locked();
    lock.unlock();
    // A running entry stays in the list.
    auto result = run_guarded(entry->migration, entry->stop.get_token());
    lock.lock();
    const k8s::Key key = entry->migration.key;
    ended_.insert_or_assign(key, Ended{.uid = entry->migration.uid,
                                       .generation = entry->migration.generation,
                                       .definitions = entry->migration.definitions,
                                       .changed = entry->changed,
                                       .result = std::move(result)});
    entries_.erase(entry);
    --running_;
    update_metrics_locked();
    changed_.notify_all();
    lock.unlock();
    on_end_(key);
    lock.lock();
  }
}

void MigrationPool::add(Migration migration) {
  const std::lock_guard lock(mutex_);
  ended_.erase(migration.key);
  entries_.push_back({.migration = std::move(migration)});
  update_metrics_locked();
  changed_.notify_all();
}

std::optional<std::string> MigrationPool::reason_to_wait(const std::vector<std::string>& definitions) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    const auto& its = entry.migration.definitions;
    const std::string* common = first_common(definitions, {its.begin(), its.end()});
    if (common != nullptr)
      return "it waits for the Conversion " + entry.migration.key.to_string() + ", which migrates " + *common;
  }
  if (std::cmp_less(entries_.size(), concurrent_)) return std::nullopt;
  return "it waits for its turn: at most " + std::to_string(concurrent_) + " migrations run at once";
}

MigrationPool::Known MigrationPool::find(const k8s::Key& key, std::string_view uid,
                                         std::int64_t generation) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.migration.key != key) continue;
    const bool same = entry.migration.uid == uid && entry.migration.generation == generation;
    return same && !entry.stop.stop_requested() ? Known::same : Known::other;
  }
  return Known::absent;
}

void MigrationPool::note_change(const k8s::Key& key) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = find_locked(key); entry != entries_.end()) entry->changed = true;
}

void MigrationPool::note_definition_change(const std::string& definition) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (names(entry.migration.definitions, definition)) entry.changed = true;
  }
  for (auto& [key, ended] : ended_) {
    if (names(ended.definitions, definition)) ended.changed = true;
  }
}

bool MigrationPool::cancel(const k8s::Key& key) {
  std::optional<std::stop_source> running;
  {
    const std::lock_guard lock(mutex_);
    ended_.erase(key);
    const auto entry = find_locked(key);
    if (entry == entries_.end()) return false;
    if (!entry->running) {
      entries_.erase(entry);
      update_metrics_locked();
      changed_.notify_all();  // it may have been what another one waited for
      return false;
    }
    running = entry->stop;
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
