// SPDX-License-Identifier: Apache-2.0

// Informers: a cache of the objects of one kind, kept up to date by one watch, with event handlers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "k8s/api_resource.h"
#include "kube/informer/handler.h"
#include "kube/informer/reflector_timings.h"
#include "kube/informer/transform.h"
#include "kube/internal/informer/informer_engine.h"

namespace fairway::kube {

/// Selects the objects, and which of their fields are cached. Informers with equal options are shared.
struct InformerOptions {
  /// Namespaces to watch, one watch for each; the informer has synced when all have. Empty: all namespaces,
  /// in one watch. An empty name in the list throws std::logic_error: it would mean all. So do namespaces for
  /// a kind that is known to be cluster-scoped, as there would be nothing to read.
  std::vector<std::string> namespaces = {};
  k8s::LabelSelector labels = {};
  k8s::FieldSelector fields = {};
  Transform transform = {};
  /// True to keep `metadata.managedFields`. It is rarely needed, and often half of an object's size. Writing
  /// an object back without it leaves the server's value unchanged.
  bool managed_fields = false;
  /// True if the kind may not be served: its CRD comes later, or never. Until it is served the informer is
  /// synced and empty; the server is asked again every `ReflectorTimings::served_check_interval`.
  bool if_served = false;
  /// True if the right to list the kind may be missing, as after an update of a program whose role is still
  /// that of its last release: until the server permits it, the informer is synced and empty, as with
  /// `if_served`, and a warning says which right is missing. What was listed once stays when the right is
  /// taken away.
  bool if_permitted = false;
  /// True to leave out quarantined objects: those that do not convert, which have the marks of a quarantine
  /// and no content (`k8s::has_only_marks`). One that the informer has had before it keeps as it was then: it
  /// reports no deletion, and no change until the object converts again. Of the kinds of Kubernetes itself
  /// none is left out (`k8s::may_be_quarantined`). Kinds of `InformersOptions::quarantined` need not say so.
  bool leave_out_quarantined = false;
  /// True to get quarantined objects of a kind of `InformersOptions::quarantined`, too.
  bool include_quarantined = false;
  /// Time that the informer goes on after its last handle is gone, unless it has handlers; then its watch
  /// ends and its memory is freed. A later `get` starts again, without its indexes. Choose it longer than the
  /// time between two uses: each start is a list. A handler or index function that holds a handle of its own
  /// informer keeps it alive. std::nullopt: until the informers stop. If several users share the informer,
  /// the longest time counts.
  std::optional<std::chrono::nanoseconds> unused_timeout = {};
};

/// A handle of an informer; copies refer to the same informer. `T` is a typed view with `T::resource`, or
/// `k8s::Dynamic`. Safe from all threads. Returned objects are immutable.
template <class T>
class Informer {
 public:
  /// Returns the object; nullptr if there is no such object. Waits for the first list, and for this process's
  /// own writes of the object through a `Context`, so that a reconcile reads its writes. Errors:
  /// `deadline_exceeded` and `cancelled`, by `limits`, with what is missing and why; `invalid` for a
  /// namespace that is not watched; `unavailable` for an object that is left out for its quarantine: it is
  /// there, and what it says is not known.
  Result<std::shared_ptr<const T>> find(const k8s::Key& key, const Limits& limits = {}) const {
    if (auto ready = engine_->wait_for_object(key, limits); !ready) return fail(ready.error());
    auto found = engine_->cache().find(key);
    if (!found.object && found.quarantined) return fail(engine_->quarantined(key));
    return typed(std::move(found.object));
  }
  /// Returns whether the object is quarantined, and left out or kept as it was for that: never with
  /// `include_quarantined`. Does not wait.
  bool is_quarantined(const k8s::Key& key) const { return engine_->cache().is_quarantined(key); }
  /// Returns the objects, sorted by namespace and name; of all watched namespaces if none is given. Waits as
  /// `find` does, for this process's writes of every object.
  Result<std::vector<std::shared_ptr<const T>>> list(std::string_view namespace_name = {},
                                                     const Limits& limits = {}) const {
    if (auto ready = engine_->wait_for_namespace(namespace_name, limits); !ready) return fail(ready.error());
    return typed(engine_->store().list(namespace_name));
  }
  /// Returns the objects with that value in the index, sorted. Waits as `list` does. Also `invalid` if no
  /// index of that name exists.
  Result<std::vector<std::shared_ptr<const T>>> by_index(std::string_view index, std::string_view value,
                                                         const Limits& limits = {}) const {
    if (auto ready = engine_->wait_for_namespace({}, limits); !ready) return fail(ready.error());
    auto found = engine_->store().by_index(index, value);
    if (!found) {
      return fail(ErrorCode::invalid, "the informer of " + resource().to_string() + " has no index '" +
                                          std::string(index) + "': add_index adds it");
    }
    return typed(*std::move(found));
  }
  /// Returns the store's current objects, without waiting: empty before the first list.
  std::vector<std::shared_ptr<const T>> cached(std::string_view namespace_name = {}) const {
    return typed(engine_->store().list(namespace_name));
  }
  /// Returns the store's current size; 0 before the first list.
  std::size_t size() const { return engine_->store().size(); }

  /// Adds an index, at any time. False if an index of that name exists; it is kept.
  bool add_index(const std::string& name,
                 std::function<std::vector<std::string>(const T& object)> values_of) {
    return engine_->cache().add_index(name, [values_of = std::move(values_of)](const k8s::Dynamic& object) {
      return values_of(view_as<T>(object));
    });
  }

  /// Adds a handler, at any time: one that is added late first gets the objects in the cache.
  HandlerId add_handler(TypedHandler<T> handler) {
    return engine_->cache().add_handler(untyped<T>(std::move(handler)));
  }
  HandlerId add_untyped_handler(Handler handler) { return engine_->cache().add_handler(std::move(handler)); }
  /// Removes a handler. It is not called after this returns (except for a call of the handler that itself
  /// calls this).
  void remove_handler(HandlerId id) { engine_->cache().deliveries().remove(id); }
  /// Returns whether the handler has been called for all initial objects.
  bool handler_synced(HandlerId id) const { return engine_->cache().deliveries().synced(id); }

  /// Returns whether the first list, of each namespace, is complete. Never becomes false again.
  bool has_synced() const { return engine_->has_synced(); }
  /// Returns whether the server serves the kind, to us; false is possible only with `if_served` or
  /// `if_permitted`.
  bool is_served() const { return engine_->is_served(); }
  /// Returns the current error of its list or watch, if any; with several namespaces, of each that has one.
  std::optional<Error> problem() const { return engine_->problem(); }
  const k8s::GroupVersionResource& resource() const { return engine_->resource(); }
  /// Returns whether objects of this namespace are cached. Cluster-scoped objects are of namespace "".
  bool watches(std::string_view namespace_name) const { return engine_->watches(namespace_name); }
  /// Returns an untyped handle of the same informer.
  Informer<k8s::Dynamic> untyped_informer() const { return Informer<k8s::Dynamic>(engine_); }

 private:
  friend class Informers;
  template <class Other>
  friend class Informer;
  explicit Informer(std::shared_ptr<InformerEngine> engine) : engine_(std::move(engine)) {}

  static std::shared_ptr<const T> typed(SharedObject object) { return view_as<T>(std::move(object)); }
  static std::vector<std::shared_ptr<const T>> typed(std::vector<SharedObject> objects) {
    if constexpr (std::is_same_v<T, k8s::Dynamic>) {
      return objects;
    } else {
      std::vector<std::shared_ptr<const T>> result;
      result.reserve(objects.size());
      for (SharedObject& object : objects) result.push_back(typed(std::move(object)));
      return result;
    }
  }

  std::shared_ptr<InformerEngine> engine_;
};

/// Returns whether an object is one that is served without its content.
using IsQuarantined = std::function<bool(const k8s::Dynamic& object)>;

struct InformersOptions {
  /// Resync period: handlers get all objects this often, at least one second; 0: never.
  std::chrono::milliseconds resync{0};
  /// True to start with a streaming list (`sendInitialEvents`) instead of a list. For servers since
  /// Kubernetes 1.27; on refusal falls back to a list.
  bool streaming_list = false;
  /// Number of pending events per informer for slow handlers; beyond it they are coalesced by object.
  std::size_t max_pending_events = 1024;
  ReflectorTimings timings = {};
  /// The metrics registry; nullptr: no metrics (a manager has its own). Must outlive the informers.
  metrics::Registry* registry = nullptr;
  /// Source of random numbers, called on the threads of all informers; nullptr: the system's, one source per
  /// informer.
  Random random = {};
  /// Returns how to tell quarantined objects of a kind that converters of this program quarantine: informers
  /// of it leave them out. Empty for other kinds, of which informers leave out what they are asked to.
  std::function<IsQuarantined(const k8s::GroupVersionResource& resource)> quarantined = {};
};

class InformerSet;

/// The informers of one process. Uses the client's clock. The destructor stops them; remaining handles keep
/// the last state.
class Informers {
 public:
  explicit Informers(std::shared_ptr<Client> client, InformersOptions options = {});
  ~Informers();
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  /// Returns the shared informer for this kind and options: one watch for all callers. Two different views of
  /// one kind get two informers.
  template <class T>
  Informer<T> get(const InformerOptions& options = {}) {
    check_namespaces(T::resource, options);
    return Informer<T>(handle(T::resource.group_version_resource(), options, ObjectType::of<T>()));
  }
  Informer<k8s::Dynamic> get(const k8s::GroupVersionResource& resource, const InformerOptions& options = {}) {
    return Informer<k8s::Dynamic>(handle(resource, options, ObjectType::of<k8s::Dynamic>()));
  }
  Informer<k8s::Dynamic> get(const k8s::ApiResource& kind, const InformerOptions& options = {}) {
    check_namespaces(kind, options);
    return get(kind.group_version_resource(), options);
  }
  /// Returns the shared informer for the metadata of this kind's objects. If the server sends whole objects,
  /// only their metadata is kept. Not shared with informers of whole objects.
  template <class T>
  Informer<k8s::PartialObjectMetadata> get_metadata(const InformerOptions& options = {}) {
    return get_metadata(k8s::ApiResource(T::resource), options);
  }
  Informer<k8s::PartialObjectMetadata> get_metadata(const k8s::GroupVersionResource& resource,
                                                    const InformerOptions& options = {}) {
    return Informer<k8s::PartialObjectMetadata>(
        handle(resource, options, ObjectType::of<k8s::PartialObjectMetadata>(), Content::metadata));
  }
  Informer<k8s::PartialObjectMetadata> get_metadata(const k8s::ApiResource& kind,
                                                    const InformerOptions& options = {}) {
    check_namespaces(kind, options);
    return get_metadata(kind.group_version_resource(), options);
  }

  /// Starts all informers obtained so far, and later ones as soon as they are obtained.
  void start();
  /// Waits until all current informers have synced; false if the limits expire before, by the client's clock.
  bool wait_for_sync(const Limits& limits);
  bool wait_for_sync(std::chrono::nanoseconds timeout);
  /// Returns the watches that have not synced: "v1, Resource=pods in shop: why", for errors and health.
  std::vector<std::string> unsynced() const;
  /// Ends all watches and waits for running handlers. Must not be called from a handler. There is no restart.
  void stop();

  Client& client() const;

  /// Tells the informers of the kind, in every version, about the server's answer to a write: later reads
  /// wait until they have it. Contexts do this by themselves.
  void record_written(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object);
  void record_removed(const k8s::GroupVersionResource& resource, const k8s::Key& key, std::string_view uid);

 private:
  static void check_namespaces(const k8s::ApiResource& kind, const InformerOptions& options);
  std::shared_ptr<InformerEngine> handle(const k8s::GroupVersionResource& resource,
                                         const InformerOptions& options, ObjectType type,
                                         Content content = Content::objects);
  std::vector<std::shared_ptr<InformerEngine>> engines_of(const k8s::GroupVersionResource& resource) const;

  const std::shared_ptr<InformerSet> set_;
};

}  // namespace fairway::kube
