// One watch of one kind: what informers of any type stand on.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <typeindex>

#include "base/timed_condition.h"
#include "kube/informer/internal/deliveries.h"
#include "kube/informer/internal/informer_metrics.h"
#include "kube/informer/internal/read_barrier.h"
#include "kube/informer/internal/reflector.h"
#include "kube/informer/internal/store.h"
#include "kube/informer/transform.h"

namespace fairway::kube {

/// Which view objects are made as.
struct ObjectType {
  std::type_index type;
  SharedObject (*make)(json::Object document);

  template <class T>
  static ObjectType of() {
    return {typeid(T), [](json::Object document) -> SharedObject {
              return std::make_shared<const T>(std::move(document));
            }};
  }
};

/// Wakes whoever waits for informers of a process.
struct SyncSignal {
  std::mutex mutex;
  TimedCondition changed;
};

struct EngineOptions {
  ReflectorOptions reflector;
  Transform transform;
  bool managed_fields = false;
  std::chrono::milliseconds resync{0};
  std::size_t max_pending_events = 1024;
  /// Where metrics are counted; nullptr: nowhere. Not used after `join`.
  metrics::Registry* registry = nullptr;
};

/// Threads: one that watches, one that calls handlers, and one for resync where it is asked for.
class InformerEngine final : private Mirror {
 public:
  InformerEngine(std::shared_ptr<Client> client, EngineOptions options, ObjectType type,
                 std::shared_ptr<SyncSignal> signal);
  ~InformerEngine() override;
  InformerEngine(const InformerEngine&) = delete;
  InformerEngine& operator=(const InformerEngine&) = delete;

  /// Whether objects are, or from now on will be, made as this view. `Dynamic` is the base of all; of other
  /// views, the first one that is asked for stays.
  bool make_as(ObjectType type);

  void start();
  /// Asks for the end; handlers that run are let run.
  void request_stop();
  /// Waits for the end. Not from a handler.
  void join();

  const k8s::GroupVersionResource& resource() const { return options_.reflector.resource; }
  const Store& store() const { return store_; }
  bool add_index(const std::string& name, IndexFunction function) {
    return store_.add_index(name, std::move(function));
  }
  HandlerId add_handler(Handler handler);
  void remove_handler(HandlerId id) { deliveries_.remove(id); }
  bool handler_synced(HandlerId id) const { return deliveries_.synced(id); }
  bool has_synced() const;
  /// Waits until reads of this object (nullptr: of all) are neither older than the first list nor than what
  /// this process has written. Errors name the kind, what is missing, and what keeps it from the server.
  Result<void> wait_for_reads(const k8s::Key* key, const Limits& limits);
  /// What the server has answered to a write of this process.
  void note_written(const k8s::Dynamic& object);
  void note_removed(const k8s::Key& key, std::string_view uid);
  std::optional<Error> problem() const { return reflector_.problem(); }
  bool is_served() const { return reflector_.is_served(); }
  std::string resource_version() const { return reflector_.resource_version(); }

 private:
  void begin_list() override;
  void list_object(k8s::Dynamic object) override;
  void unlist_object(const k8s::Dynamic& object) override;
  void end_list() override;
  void apply(WatchEvent event) override;
  void advance(const std::string& version) override { barrier_.note_progress(version); }

  /// What is stored of an object: transformed, compact, of the type.
  SharedObject store_form(k8s::Dynamic object) const;
  /// The same of an object that was made when the type may have been another; with the lock.
  SharedObject of_type(SharedObject object, std::type_index made_as) const;
  ObjectType type() const;
  void resync(const std::stop_token& stop);

  const std::shared_ptr<Client> client_;
  const EngineOptions options_;
  const std::shared_ptr<SyncSignal> signal_;
  InformerMetrics metrics_;
  Store store_;
  ReadBarrier barrier_;
  Deliveries deliveries_;
  Reflector reflector_;
  /// Held while the store and what handlers are told change together.
  mutable std::mutex mutex_;
  ObjectType type_;
  bool synced_ = false;
  /// Of the reflector's thread alone: the list that comes, and what its objects are made as at least.
  ObjectMap listed_;
  std::type_index listed_as_;

  std::mutex threads_mutex_;
  std::stop_source stop_;
  std::vector<std::jthread> threads_;
};

}  // namespace fairway::kube
