// SPDX-License-Identifier: Apache-2.0

// A controller: changed objects are queued, and reconciled until that succeeds. Untyped;
// `kube/controller/controller_builder.h` is the typed builder.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kube/controller/context.h"
#include "kube/controller/requeue.h"
#include "kube/controller/retry_limits.h"
#include "kube/controller/trigger.h"
#include "kube/informer/predicate.h"
#include "kube/internal/controller/queue.h"
#include "kube/internal/controller/reconcile_metrics.h"

namespace fairway::kube {

/// The replicas that run something in a process with a lease.
enum class Runs {
  as_leader,  ///< only while this process leads
  always,     ///< in every replica. The client of its contexts refuses writes if the process does not lead
};

struct ControllerSettings {
  /// Name for metrics, logs and events; unique in the process.
  std::string name = {};
  /// Number of concurrent reconciles. One object is never reconciled concurrently.
  int workers = 1;
  /// Resync period: every object is reconciled this often, with 10 % jitter; 0: never.
  std::chrono::nanoseconds resync{0};
  /// Time that a change waits, so that one reconcile also handles the changes that follow.
  std::chrono::nanoseconds debounce{0};
  Runs runs = Runs::as_leader;
  RetryLimits retries = {};
};

/// A watched kind, and a mapping from its objects to the controller's objects to reconcile.
struct Source {
  Informer<k8s::Dynamic> informer;
  Predicate predicate = {};
  /// Returns the keys. Called on the informer's thread; for an update, with the old and with the new object.
  std::function<std::vector<Key>(const k8s::Dynamic& object)> keys = {};
};

/// A reconcile function. Called concurrently if there are several workers, but never concurrently for one
/// object.
using Reconcile = std::function<Result<Requeue>(const Context& context)>;

/// Returns the possible keys of the object's controller (owner reference), if that is of kind `owner`, in any
/// version.
std::vector<Key> owner_keys(const k8s::Dynamic& object, const k8s::Resource& owner);

class Controller {
 public:
  /// Creates a controller. The first of `sources` is its own kind. `environment` must outlive the controller.
  Controller(ControllerSettings settings, const Environment& environment, std::vector<Source> sources,
             Reconcile reconcile, std::vector<Trigger> triggers = {});
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Watches and reconciles until `stop`; returns when no reconcile is in flight. Queued keys are dropped, as
  /// a restart reconciles everything. May be called once. Informers must have synced.
  void run(const std::stop_token& stop);

  /// Queues every object once more, after those that have changed. `why` is the reason that the log has.
  void enqueue_all(std::string_view why = "all objects were queued");

  const std::string& name() const { return settings_.name; }
  Runs runs() const { return settings_.runs; }
  Queue& queue() { return queue_; }
  void update_metrics() { queue_.update_metrics(); }

 private:
  void add_all(const Source& source, std::initializer_list<const k8s::Dynamic*> objects, Queue::Lane lane,
               std::string_view event);
  void add(const Key& key, Queue::Lane lane, const Reasons& why);
  HandlerId subscribe(Source& source);
  void work(const std::stop_token& stop);
  void reconcile_key(const Key& key, const Reasons& why, const std::stop_token& stop);
  Result<Requeue> call(const Context& context);
  void resync(const std::stop_token& stop);

  const ControllerSettings settings_;
  const Environment& environment_;
  std::vector<Source> sources_;
  const std::vector<Trigger> triggers_;
  const Reconcile reconcile_;
  ReconcileMetrics metrics_;
  Queue queue_;
};

}  // namespace fairway::kube
