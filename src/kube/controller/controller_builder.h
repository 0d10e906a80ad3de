// The typed builder of controllers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kube/controller/controller.h"

namespace fairway::kube {

class Manager;
/// For `ControllerBuilder`, which cannot include the Manager.
void register_at(Manager& manager, std::unique_ptr<Controller> controller);

/// Built by `Manager::controller<T>`; `reconcile` is the last call.
template <class T>
class ControllerBuilder {
 public:
  ControllerBuilder(Manager& manager, Environment& environment, std::string name)
      : manager_(manager), environment_(environment) {
    settings_.name = std::move(name);
  }

  /// Reconciles an object when an object of kind `U` changes that it owns as controller (`set_owner`).
  template <class U>
  ControllerBuilder& owns(Predicate predicate = {}, const InformerOptions& which = {}) {
    return add<U>([](const k8s::Dynamic& object) { return owner_keys(object, T::resource); },
                  std::move(predicate), which);
  }
  /// Reconciles the objects that `keys` returns when an object of kind `W` changes. `keys` is called on the
  /// informer's thread, with the old and with the new object, and must be fast.
  template <class W>
  ControllerBuilder& watches(std::function<std::vector<Key>(const W& object)> keys, Predicate predicate = {},
                             const InformerOptions& which = {}) {
    return add<W>(
        [keys = std::move(keys)](const k8s::Dynamic& object) { return keys(static_cast<const W&>(object)); },
        std::move(predicate), which);
  }
  /// Filters events of the controller's own objects. For others, see `owns` and `watches`.
  ControllerBuilder& when(Predicate predicate) {
    predicate_ = std::move(predicate);
    return *this;
  }
  /// Selects the controller's own objects; default: all of the kind.
  ControllerBuilder& of(InformerOptions which) {
    which_ = std::move(which);
    return *this;
  }
  ControllerBuilder& workers(int count) {
    settings_.workers = count;
    return *this;
  }
  ControllerBuilder& resync(std::chrono::nanoseconds every) {
    settings_.resync = every;
    return *this;
  }
  ControllerBuilder& retries(const RetryLimits& limits) {
    settings_.retries = limits;
    return *this;
  }

  /// Registers the controller. `function` is called per object, concurrently if there are several workers. It
  /// has one of two forms:
  ///
  ///     Result<Requeue>(Context, const T&)                              not called for deleted objects
  ///     Result<Requeue>(Context, const Key&, std::shared_ptr<const T>)  nullptr: it was deleted
  ///
  /// The object comes from the informer's cache and may be stale: writes with its resourceVersion then fail
  /// with a conflict; server-side apply needs none.
  template <class Function>
  void reconcile(Function function) {
    const Informer<T> own = environment_.informers->template get<T>(which_);
    std::vector<Source> sources;
    sources.push_back({own.untyped_informer(), std::move(predicate_),
                       [](const k8s::Dynamic& object) { return std::vector<Key>{object.key()}; }});
    for (Source& source : sources_) sources.push_back(std::move(source));
    Reconcile call;
    if constexpr (std::is_invocable_r_v<Result<Requeue>, Function&, Context, const T&>) {
      call = [own, function = std::move(function)](const Context& context) mutable -> Result<Requeue> {
        const std::shared_ptr<const T> object = own.find(context.key());
        if (!object) return done();
        return function(context, *object);
      };
    } else {
      static_assert(
          std::is_invocable_r_v<Result<Requeue>, Function&, Context, const Key&, std::shared_ptr<const T>>,
          "a reconcile takes (Context, const T&) or (Context, const Key&, std::shared_ptr<const T>), "
          "and returns Result<Requeue>");
      call = [own, function = std::move(function)](const Context& context) mutable -> Result<Requeue> {
        return function(context, context.key(), own.find(context.key()));
      };
    }
    register_at(manager_, std::make_unique<Controller>(std::move(settings_), environment_, std::move(sources),
                                                       std::move(call)));
  }

 private:
  template <class W>
  ControllerBuilder& add(std::function<std::vector<Key>(const k8s::Dynamic&)> keys, Predicate predicate,
                         const InformerOptions& which) {
    sources_.push_back({environment_.informers->template get<W>(which).untyped_informer(),
                        std::move(predicate), std::move(keys)});
    return *this;
  }

  Manager& manager_;
  Environment& environment_;
  ControllerSettings settings_;
  InformerOptions which_;
  Predicate predicate_;
  std::vector<Source> sources_;
};

}  // namespace fairway::kube
