// SPDX-License-Identifier: Apache-2.0

// The engine of an informer of any type: one cache, and a watch for each of its namespaces.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kube/internal/informer/informer_cache.h"
#include "kube/internal/informer/informer_metrics.h"
#include "kube/internal/informer/left_out_log.h"
#include "kube/internal/informer/namespace_watch.h"

namespace fairway::kube {

struct EngineOptions {
  /// Options of each watch, except for the namespace.
  ReflectorOptions reflector = {};
  /// Namespaces, sorted, each once; empty: one watch of all namespaces.
  std::vector<std::string> namespaces = {};
  CacheOptions cache = {};
  std::chrono::milliseconds resync{0};
  /// Registry of the metrics; nullptr: none. Not used after `join`.
  metrics::Registry* registry = nullptr;
};

/// Runs the watches and handlers of one informer. Threads: one for each watch, one that calls handlers, and
/// one for resync if that is enabled.
class InformerEngine {
 public:
  InformerEngine(std::shared_ptr<Client> client, EngineOptions options, ObjectType type,
                 std::shared_ptr<SyncSignal> signal);
  ~InformerEngine();
  InformerEngine(const InformerEngine&) = delete;
  InformerEngine& operator=(const InformerEngine&) = delete;

  void start();
  /// Requests the end; handlers that are running may finish.
  void request_stop();
  /// Waits for the end. Must not be called from a handler.
  void join();

  const k8s::GroupVersionResource& resource() const { return options_.reflector.resource; }
  InformerCache& cache() { return cache_; }
  const InformerCache& cache() const { return cache_; }
  const Store& store() const { return cache_.store(); }
  /// Waits until a read of this object, or of a namespace (empty: of all that are watched), is neither older
  /// than the first list nor than this process's own writes. Errors name the kind, what is missing, and the
  /// current problem with the server; `invalid`: the namespace is not watched.
  Result<void> wait_for_object(const k8s::Key& key, const Limits& limits);
  Result<void> wait_for_namespace(std::string_view namespace_name, const Limits& limits);
  /// Records the server's answer to a write of this process.
  void record_written(const k8s::Dynamic& object);
  void record_removed(const k8s::Key& key, std::string_view uid);
  bool has_synced() const { return cache_.has_synced(); }
  /// Returns the watches that have not synced: "v1, Resource=pods in shop: why".
  std::vector<std::string> unsynced() const;
  /// Returns the error for a reader of an object that is left out for its quarantine.
  Error quarantined(const k8s::Key& key) const;
  /// Returns the errors of all watches that have one.
  std::optional<Error> problem() const;
  bool watches(std::string_view namespace_name) const { return watch_of(namespace_name) != nullptr; }
  /// Returns whether the server serves the kind.
  bool is_served() const;

 private:
  /// Returns the watch of a namespace; nullptr if it is not watched.
  NamespaceWatch* watch_of(std::string_view namespace_name) const;
  std::unexpected<Error> not_watched(std::string_view namespace_name) const;
  void resync(const std::stop_token& stop);
  void retire_metrics();

  const std::shared_ptr<Client> client_;
  const EngineOptions options_;
  InformerMetrics metrics_;
  LeftOutLog left_out_log_;
  InformerCache cache_;
  std::vector<std::unique_ptr<NamespaceWatch>> watches_;

  std::mutex threads_mutex_;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;
  bool retired_ = false;
};

}  // namespace fairway::kube
