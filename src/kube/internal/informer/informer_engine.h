// What informers of any type stand on: one cache, and a watch for each of its namespaces.
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
#include "kube/internal/informer/namespace_watch.h"

namespace fairway::kube {

struct EngineOptions {
  /// Of each watch, but for the namespace.
  ReflectorOptions reflector;
  /// Sorted, each once; empty: one watch of all namespaces.
  std::vector<std::string> namespaces;
  CacheOptions cache;
  std::chrono::milliseconds resync{0};
  /// Where metrics are counted; nullptr: nowhere. Not used after `join`.
  metrics::Registry* registry = nullptr;
};

/// Threads: one for each watch, one that calls handlers, and one for resync where it is asked for.
class InformerEngine {
 public:
  InformerEngine(std::shared_ptr<Client> client, EngineOptions options, ObjectType type,
                 std::shared_ptr<SyncSignal> signal);
  ~InformerEngine();
  InformerEngine(const InformerEngine&) = delete;
  InformerEngine& operator=(const InformerEngine&) = delete;

  void start();
  /// Asks for the end; handlers that run are let run.
  void request_stop();
  /// Waits for the end. Not from a handler.
  void join();

  const k8s::GroupVersionResource& resource() const { return options_.reflector.resource; }
  InformerCache& cache() { return cache_; }
  const InformerCache& cache() const { return cache_; }
  const Store& store() const { return cache_.store(); }
  /// Waits until a read of this object, or of a namespace (empty: of all that are watched), is neither older
  /// than the first list nor than what this process has written. Errors name the kind, what is missing, and
  /// what keeps it from the server; `invalid`: the namespace is not watched.
  Result<void> wait_for_object(const k8s::Key& key, const Limits& limits);
  Result<void> wait_for_namespace(std::string_view namespace_name, const Limits& limits);
  /// What the server has answered to a write of this process.
  void note_written(const k8s::Dynamic& object);
  void note_removed(const k8s::Key& key, std::string_view uid);
  bool has_synced() const { return cache_.has_synced(); }
  /// The watches that have not synced: "v1, Resource=pods in shop: why".
  std::vector<std::string> unsynced() const;
  /// Of all watches that have one.
  std::optional<Error> problem() const;
  bool watches(std::string_view namespace_name) const { return watch_of(namespace_name) != nullptr; }
  /// False if the server does not serve the kind.
  bool is_served() const;

 private:
  /// nullptr: the namespace is not watched.
  NamespaceWatch* watch_of(std::string_view namespace_name) const;
  std::unexpected<Error> not_watched(std::string_view namespace_name) const;
  void resync(const std::stop_token& stop);
  void retire_metrics();

  const std::shared_ptr<Client> client_;
  const EngineOptions options_;
  InformerMetrics metrics_;
  InformerCache cache_;
  std::vector<std::unique_ptr<NamespaceWatch>> watches_;

  std::mutex threads_mutex_;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;
  bool retired_ = false;
};

}  // namespace fairway::kube
