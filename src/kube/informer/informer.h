// Informers: a copy of what a server holds of a kind, kept up to date by one watch, and who wants to know.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kube/informer/handler.h"
#include "kube/informer/internal/informer_engine.h"
#include "kube/informer/transform.h"

namespace fairway::kube {

/// Which objects, and in which form. Informers that agree in all of this are one.
struct InformerOptions {
  /// Empty: all of them.
  std::string namespace_name;
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  Transform transform;
  /// Keep `metadata.managedFields`: who has written which field. Few want to know, and it is often half of
  /// what an object takes. An object that is written back without it keeps what the server has.
  bool managed_fields = false;
};

/// A handle; copies mean the same informer. `T` is a typed view with `T::resource`, or `k8s::Dynamic`. Safe
/// from all threads. What it hands out stays as it is, whatever happens to the object.
template <class T>
class Informer {
 public:
  /// nullptr where it is not there, or not yet.
  std::shared_ptr<const T> find(const k8s::Key& key) const {
    return typed(engine_->store().find(KeyView::of(key)));
  }
  /// In the order of namespace and name; of all namespaces where none is named.
  std::vector<std::shared_ptr<const T>> list(std::string_view namespace_name = {}) const {
    return typed(engine_->store().list(namespace_name));
  }
  /// Objects that the index has under that value, in order.
  std::vector<std::shared_ptr<const T>> by_index(std::string_view index, std::string_view value) const {
    return typed(engine_->store().by_index(index, value));
  }
  std::size_t size() const { return engine_->store().size(); }

  /// At any time. An index of that name that is there already stays; then false.
  bool add_index(const std::string& name,
                 std::function<std::vector<std::string>(const T& object)> values_of) {
    return engine_->add_index(name, [values_of = std::move(values_of)](const k8s::Dynamic& object) {
      return values_of(static_cast<const T&>(object));
    });
  }

  /// At any time: a late one is told first of the objects that are there.
  HandlerId add_handler(TypedHandler<T> handler) {
    return engine_->add_handler(untyped<T>(std::move(handler)));
  }
  HandlerId add_untyped_handler(Handler handler) { return engine_->add_handler(std::move(handler)); }
  /// The handler is not called any more when this returns (but for itself, if it calls this).
  void remove_handler(HandlerId id) { engine_->remove_handler(id); }
  /// Whether the handler has been told of everything that was there at the beginning.
  bool handler_synced(HandlerId id) const { return engine_->handler_synced(id); }

  /// Whether the first list is there. It stays so.
  bool has_synced() const { return engine_->has_synced(); }
  /// What keeps it from the server, or the server from it, until that is over.
  std::optional<Error> problem() const { return engine_->problem(); }
  const k8s::GroupVersionResource& resource() const { return engine_->resource(); }
  /// The same one without the type.
  Informer<k8s::Dynamic> untyped_informer() const { return Informer<k8s::Dynamic>(engine_); }

 private:
  friend class Informers;
  template <class Other>
  friend class Informer;
  explicit Informer(std::shared_ptr<InformerEngine> engine) : engine_(std::move(engine)) {}

  static std::shared_ptr<const T> typed(SharedObject object) {
    return std::static_pointer_cast<const T>(std::move(object));
  }
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

struct InformersOptions {
  /// Tell handlers of all objects again this often, at least a second apart; 0: never.
  std::chrono::milliseconds resync{0};
  /// Begin with a watch that brings what is there, instead of a list. For servers since Kubernetes 1.27;
  /// those that refuse it are asked for a list.
  bool streaming_list = false;
  /// Changes that wait one by one for slow handlers of an informer; beyond it they are joined by object.
  std::size_t most_waiting = 1024;
  ReflectorTimings timings;
  /// Where metrics are counted; nullptr: nowhere (a manager has its own). It outlives the informers.
  metrics::Registry* registry = nullptr;
  /// Called on the threads of all informers; nullptr: the system's, one for each.
  Random random;
};

/// The informers of one process. Time comes from the client's clock. Stops when it goes; informers that are
/// still held keep their last state then.
class Informers {
 public:
  explicit Informers(std::shared_ptr<Client> client, InformersOptions options = {});
  ~Informers();
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  /// The one for this kind and these options, however many ask: one watch. Only where two different views of
  /// one kind are asked for there are two.
  template <class T>
  Informer<T> get(const InformerOptions& options = {}) {
    return Informer<T>(engine(T::resource.group_version_resource(), options, ObjectType::of<T>()));
  }
  Informer<k8s::Dynamic> get(const k8s::GroupVersionResource& resource, const InformerOptions& options = {}) {
    return Informer<k8s::Dynamic>(engine(resource, options, ObjectType::of<k8s::Dynamic>()));
  }

  /// Starts all that were asked for, and from now on those that will be.
  void start();
  /// Waits until every informer that there is now has its first list; false if it is stopped before, or, in
  /// the other form, if `timeout` has passed (by the machine's clock).
  bool wait_for_sync(const std::stop_token& stop);
  bool wait_for_sync(std::chrono::milliseconds timeout);
  /// Those that have no first list yet: "v1, Resource=pods: why", for errors and health.
  std::vector<std::string> unsynced() const;
  /// Ends all watches and waits until no handler runs any more. Not from a handler. They do not start again.
  void stop();

  Client& client() const { return *client_; }

 private:
  struct Known {
    k8s::GroupVersionResource resource;
    std::string namespace_name, labels, fields, transform;
    bool managed_fields = false;
    std::shared_ptr<InformerEngine> engine;
  };

  std::shared_ptr<InformerEngine> engine(const k8s::GroupVersionResource& resource,
                                         const InformerOptions& options, ObjectType type);
  std::vector<std::shared_ptr<InformerEngine>> engines() const;

  const std::shared_ptr<Client> client_;
  const InformersOptions options_;
  const std::shared_ptr<SyncSignal> signal_ = std::make_shared<SyncSignal>();
  mutable std::mutex mutex_;
  std::vector<Known> known_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace fairway::kube
