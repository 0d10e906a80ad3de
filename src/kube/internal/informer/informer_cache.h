// SPDX-License-Identifier: Apache-2.0

// The cache of one informer, which its watches fill.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>

#include "kube/informer/transform.h"
#include "kube/internal/informer/deliveries.h"
#include "kube/internal/informer/informer_metrics.h"
#include "kube/internal/informer/object_type.h"
#include "kube/internal/informer/store.h"

namespace fairway::kube {

struct CacheOptions {
  Transform transform = {};
  bool managed_fields = false;
  std::size_t max_pending_events = 1024;
  /// Tells the quarantined objects, which are left out; empty: there are none.
  std::function<bool(const k8s::Dynamic& object)> leaves_out = {};
  /// Gets each object that is left out now, and was not before.
  std::function<void(const k8s::Key& key)> on_left_out = {};
};

/// A list on its way into a cache.
struct Listed {
  ObjectMap objects = {};
  /// The quarantined objects that the cache leaves out, or has in `objects` as they were before.
  std::set<k8s::Key> quarantined = {};
  /// The type that the objects were at least constructed as.
  std::type_index made_as;

  void erase(const k8s::Dynamic& object) {
    objects.erase(KeyView::of(object));
    quarantined.erase(object.key());
  }
};

/// The store, and the handlers that get its changes. Safe from all threads, but each object is written by one
/// watch only.
///
/// Quarantined objects are left out if the options tell them. One that was in the store before stays there
/// as it was, so that nobody takes it for deleted; that it is quarantined is known by its key.
class InformerCache {
 public:
  /// Creates a cache. `watches`: number of lists that must be complete before it has synced. `metrics` must
  /// outlive this.
  InformerCache(CacheOptions options, ObjectType type, std::size_t watches, InformerMetrics& metrics);

  const Store& store() const { return store_; }
  bool add_index(const std::string& name, IndexFunction function) {
    return store_.add_index(name, std::move(function));
  }
  Deliveries& deliveries() { return deliveries_; }
  const Deliveries& deliveries() const { return deliveries_; }
  HandlerId add_handler(Handler handler);
  /// Returns whether the first list of every watch is complete.
  bool has_synced() const;
  /// Sends all objects to handlers once more.
  void resync();

  /// Returns whether objects are, or from now on will be, constructed as this view. `Dynamic` is the base of
  /// all views; of the other views, the first one that is requested stays.
  bool make_as(ObjectType type);
  /// Returns the type that objects are constructed as now.
  std::type_index type() const;
  /// Returns the object in the form that is stored: transformed, compact, of the current type.
  SharedObject store_form(k8s::Dynamic object) const;

  /// Adds an object to a list that is not complete yet.
  void add_to(Listed& listed, k8s::Dynamic object) const;
  /// Replaces the objects of a watch by its complete list. `namespace_name`: the one that it watches, empty:
  /// all. `first`: it is the first list of this watch.
  void replace(std::string_view namespace_name, Listed listed, bool first);
  void put(k8s::Dynamic object);
  /// Removes an object. `last`: its last state.
  void erase(k8s::Dynamic last);

  /// Returns whether an object, as the server has it, is left out for its quarantine.
  bool leaves_out(const k8s::Dynamic& object) const;
  /// An object of the store (nullptr: none), and whether it is left out, or kept as it was, for its
  /// quarantine.
  struct Found {
    SharedObject object = {};
    bool quarantined = false;
  };
  /// Returns both as they are at one moment: an object that is there is never taken for one that is not.
  Found find(const k8s::Key& key) const;
  /// Returns whether the object of this key is quarantined, and left out for it.
  bool is_quarantined(const k8s::Key& key) const;
  /// Returns the number of objects that are left out, or kept as they were.
  std::size_t quarantined() const;

 private:
  /// Returns an object as the current type; it may have been constructed as another. Call it with the lock.
  SharedObject of_type(SharedObject object, std::type_index made_as) const;
  void run_transform(k8s::Dynamic& object) const;
  ObjectType current_type() const;
  void put_quarantined(const k8s::Dynamic& object);
  void end_quarantine(const k8s::Dynamic& object);
  void record_quarantined(double before);
  void tell_left_out(const k8s::Key& key) const;

  const CacheOptions options_;
  InformerMetrics& metrics_;
  Store store_;
  Deliveries deliveries_;
  /// Held while the store changes and the change is queued for handlers.
  mutable std::mutex mutex_;
  ObjectType type_;
  std::size_t unsynced_watches_;
  std::set<k8s::Key> quarantined_;
};

}  // namespace fairway::kube
