// SPDX-License-Identifier: Apache-2.0

// One watch of an informer: of one namespace, or of all.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/timed_condition.h"
#include "kube/internal/informer/informer_cache.h"
#include "kube/internal/informer/read_barrier.h"
#include "kube/internal/informer/reflector.h"

namespace fairway::kube {

/// Wakes the threads that wait for the informers of a process.
struct SyncSignal {
  std::mutex mutex = {};
  TimedCondition changed = {};

  void notify() {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  }
};

/// Watches one namespace, or all. It writes the objects of its namespace, and no others, to the cache that it
/// shares with the informer's other watches.
class NamespaceWatch final : private Mirror {
 public:
  /// Creates a watch. `cache` and `metrics` must outlive this.
  NamespaceWatch(const std::shared_ptr<Client>& client, const ReflectorOptions& options, InformerCache& cache,
                 InformerMetrics& metrics, std::shared_ptr<SyncSignal> signal);

  /// Lists and watches until it is stopped.
  void run(const std::stop_token& stop) { reflector_.run(stop); }
  /// Ends the waits of readers.
  void stop_waits() { barrier_.stop(); }

  /// Returns the watched namespace; empty: all.
  const std::string& namespace_name() const { return options_.namespace_name; }
  /// Returns "v1, Resource=pods in shop", for errors.
  std::string described() const { return reflector_.described(); }
  bool covers(std::string_view other) const { return namespace_name().empty() || namespace_name() == other; }
  /// Returns whether its first list is complete.
  bool has_synced() const { return synced_; }
  /// Waits until reads of this object (nullptr: of all) are neither older than the first list nor than this
  /// process's own writes. Errors say what is missing, and name the current problem with the server.
  Result<void> wait_for_reads(const k8s::Key* key, const Limits& limits);
  /// Records the server's answer to a write of this process to an object of its namespace.
  void record_written(const k8s::Dynamic& object);
  void record_removed(const k8s::Key& key, std::string_view uid) { barrier_.record_removed(key, uid); }
  std::optional<Error> problem() const { return reflector_.problem(); }
  bool is_served() const { return reflector_.is_served(); }

 private:
  void begin_list() override;
  void list_object(k8s::Dynamic object) override;
  void unlist_object(const k8s::Dynamic& object) override;
  void end_list() override;
  void not_served() override;
  void apply(WatchEvent event) override;
  void advance(const std::string& version) override { barrier_.record_progress(version); }

  const ReflectorOptions options_;
  InformerCache& cache_;
  InformerMetrics& metrics_;
  const std::shared_ptr<SyncSignal> signal_;
  ReadBarrier barrier_;
  Reflector reflector_;
  std::atomic<bool> synced_ = false;
  /// The unfinished list. Used by the reflector's thread only.
  Listed listed_;
};

}  // namespace fairway::kube
