// SPDX-License-Identifier: Apache-2.0

// The threads on which the migrations of Conversions run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "conversion/internal/migration/activity.h"
#include "k8s/object.h"
#include "kube/controller/requeue.h"

namespace fairway::conversion {

/// Runs at most `concurrent` migrations at once, and no two that have a definition in common. They start in
/// the order in which they were added; one that waits for a definition does not keep others from starting,
/// except those that need one of its definitions. Safe from all threads.
class MigrationPool {
 public:
  struct Migration {
    /// The Conversion, and the generation of it that this is about.
    k8s::Key key = {};
    std::string uid = {};
    std::int64_t generation = 0;
    /// The names of the definitions whose objects it writes.
    std::vector<std::string> definitions = {};
    /// `definition_changes` from before its planning began: a change recorded since makes the plan outdated.
    std::optional<std::uint64_t> planned_after = {};
    /// The reason in the Conversion's status; std::nullopt if the status does not say that it waits.
    std::optional<std::string> reason_to_wait = {};
    /// Records each answer that `run` gets; null: it is never stalled.
    std::shared_ptr<Activity> activity = {};
    /// Returns how to requeue the Conversion. Must return soon after a stop request.
    std::function<Result<kube::Requeue>(const std::stop_token& stop)> run = {};
  };
  /// The result of a migration that has ended.
  struct Ended {
    std::string uid = {};
    std::int64_t generation = 0;
    std::vector<std::string> definitions = {};
    /// True if a change was recorded since it was added: the Conversion should be reconciled again at once.
    bool changed = false;
    /// True if it was stopped because no request was answered for the stall timeout.
    bool stalled = false;
    Result<kube::Requeue> result = {};
  };

  using OnKey = std::function<void(const k8s::Key& key)>;
  /// `on_end` is called for each migration that has run, `on_outdated` for each that waits and has to be
  /// planned again before it starts, because a definition or its reason to wait has changed:
  /// `begin_planning`, and then `add` or `cancel`. Both without a lock held. `registry` may be null; it and
  /// `clock`, the clock of the activities, must outlive the pool. A migration none of whose requests is
  /// answered for `stall_timeout` is stopped, so that others can run.
  MigrationPool(int concurrent, OnKey on_end, OnKey on_outdated, metrics::Registry* registry = nullptr,
                Clock& clock = Clock::system(),
                std::chrono::nanoseconds stall_timeout = std::chrono::minutes(5));
  MigrationPool(const MigrationPool&) = delete;
  MigrationPool& operator=(const MigrationPool&) = delete;

  /// Runs migrations until `stop`, which stops those that run; returns when they have ended. Those that wait
  /// are dropped. The caller's thread is one of those they run on, and the only one if the system cannot
  /// start others.
  void run(const std::stop_token& stop);

  /// Adds a migration, in place of the Conversion's waiting one, if there is one; none of the Conversion may
  /// be running. It waits until `run` is called.
  void add(Migration migration);
  /// Returns the reason why the Conversion's migration waits, or would wait if it had these definitions;
  /// std::nullopt if it would start at once.
  std::optional<std::string> reason_to_wait(const k8s::Key& key,
                                            const std::vector<std::string>& definitions) const;

  enum class Presence { absent, running, waiting, other };
  /// Returns whether the Conversion has a migration. `running` and `waiting`: it is about this uid and
  /// generation, but its definitions may have changed since it was added. A running one will have `changed`
  /// in its result; a waiting one does not start before it is added again, and keeps its place.
  Presence begin_planning(const k8s::Key& key, std::string_view uid, std::int64_t generation);
  /// Records that a definition has changed: the migrations of its objects, and their results, are about the
  /// definition as it was before. Those that wait are outdated.
  void record_definition_change(const std::string& definition);
  /// Number of changes recorded so far: a change cannot mark a migration that is not in the pool yet.
  std::uint64_t definition_changes() const;
  /// Drops the Conversion's migration, and its result. Returns true if it runs: stop has been requested, and
  /// `on_end` will be called.
  bool cancel(const k8s::Key& key);
  /// Returns and removes the result of the Conversion's last migration.
  std::optional<Ended> take_result(const k8s::Key& key);

 private:
  struct Entry {
    Migration migration = {};
    bool running = false;
    bool changed = false;   ///< since it was planned; if it waits, `on_outdated` was called
    bool planning = false;  ///< until it is added again
    bool stalled = false;   ///< and was stopped because of that
    std::stop_source stop = {};

    bool may_start() const { return !running && !changed && !planning; }
  };
  class Ahead;
  using Entries = std::list<Entry>;  ///< in the order in which they were added

  Entries::iterator find_locked(const k8s::Key& key);
  Entries::iterator next_locked();
  bool is_outdated_locked(const Migration& migration) const;
  void work(const std::stop_token& stop);
  void stop_stalled(const std::stop_token& stop);
  std::vector<k8s::Key> entries_changed_locked();
  void tell_outdated(const std::vector<k8s::Key>& keys) const;

  int concurrent_;  ///< also the number of threads, once they run
  const OnKey on_end_, on_outdated_;
  Clock& clock_;
  const std::chrono::nanoseconds stall_timeout_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;  ///< a migration was added, or one has ended
  Entries entries_;
  std::uint64_t definition_changes_ = 0;
  std::map<std::string, std::uint64_t> last_change_;  ///< last change of each definition
  int running_ = 0;
  std::map<k8s::Key, Ended> ended_;
  std::optional<metrics::Gauge> running_gauge_, waiting_gauge_;
};

}  // namespace fairway::conversion
