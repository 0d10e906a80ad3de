// A controller: what changes is queued, and looked at until it is as it should be. Untyped;
// `kube/controller/controller_builder.h` puts types around it.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <vector>

#include "kube/controller/context.h"
#include "kube/controller/internal/queue.h"
#include "kube/controller/internal/reconcile_metrics.h"
#include "kube/controller/requeue.h"
#include "kube/informer/predicate.h"

namespace fairway::kube {

struct ControllerSettings {
  /// In metrics, logs and events; no two controllers of a process have the same.
  std::string name;
  /// How many objects are looked at at once. One object never is by two.
  int workers = 1;
  /// Looks at every object again this often, a tenth more or less; 0: never.
  std::chrono::nanoseconds resync{0};
  RetryLimits retries;
};

/// Objects whose changes matter to a controller, and which of its own objects to look at then.
struct Source {
  Informer<k8s::Dynamic> informer;
  Predicate predicate;
  /// Called on the informer's thread; of a change, with the object as it was and as it is.
  std::function<std::vector<Key>(const k8s::Dynamic& object)> keys;
};

/// Called by several threads at once where there are several workers, but never for one object at once.
using Reconcile = std::function<Result<Requeue>(const Context& context)>;

/// The keys under which an owner of that kind is found: of the controller among an object's owners. Its
/// version does not matter.
std::vector<Key> owner_keys(const k8s::Dynamic& object, const k8s::Resource& owner);

class Controller {
 public:
  /// The first of `sources` is of the controller's own objects. `environment` outlives the controller.
  Controller(ControllerSettings settings, const Environment& environment, std::vector<Source> sources,
             Reconcile reconcile);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Watches and works until `stop`; returns when no reconcile runs any more. What was queued and not begun
  /// is dropped: who runs it again looks at everything. Once. Informers must have synced.
  void run(const std::stop_token& stop);

  const std::string& name() const { return settings_.name; }
  Queue& queue() { return queue_; }
  void update_metrics() { queue_.update_metrics(); }

 private:
  void add_all(const Source& source, std::initializer_list<const k8s::Dynamic*> objects);
  HandlerId subscribe(Source& source);
  void work(const std::stop_token& stop);
  void look_at(const Key& key, const std::stop_token& stop);
  Result<Requeue> call(const Context& context);
  void resync(const std::stop_token& stop);

  const ControllerSettings settings_;
  const Environment& environment_;
  std::vector<Source> sources_;
  const Reconcile reconcile_;
  ReconcileMetrics metrics_;
  Queue queue_;
};

}  // namespace fairway::kube
