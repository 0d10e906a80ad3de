// Controllers with types: what is watched, and what is done about it.
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
/// For `ControllerBuilder`, which must not know the whole Manager.
void register_at(Manager& manager, std::unique_ptr<Controller> controller);

/// Built by `Manager::controller<T>`; `reconcile` is the last call.
template <class T>
class ControllerBuilder {
 public:
  ControllerBuilder(Manager& manager, Environment& environment, std::string name)
      : manager_(manager), environment_(environment) {
    settings_.name = std::move(name);
  }

  /// Looks at an object when one of kind `U` changes whose controller it is (`set_owner`).
  template <class U>
  ControllerBuilder& owns(Predicate predicate = {}, const InformerOptions& which = {}) {
    return add<U>([](const k8s::Dynamic& object) { return owner_keys(object, T::resource); },
                  std::move(predicate), which);
  }
  /// Looks at the objects that `keys` names when one of kind `W` changes. `keys` is called on the informer's
  /// thread, with the object as it was and as it is: it must be quick.
  template <class W>
  ControllerBuilder& watches(std::function<std::vector<Key>(const W& object)> keys, Predicate predicate = {},
                             const InformerOptions& which = {}) {
    return add<W>(
        [keys = std::move(keys)](const k8s::Dynamic& object) { return keys(static_cast<const W&>(object)); },
        std::move(predicate), which);
  }
  /// Which changes of the controller's own objects count. For others, see `owns` and `watches`.
  ControllerBuilder& when(Predicate predicate) {
    predicate_ = std::move(predicate);
    return *this;
  }
  /// Which objects are the controller's own; otherwise all of the kind.
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

  /// Registers the controller. `function` is called for one object after the other, by several threads at
  /// once where there are several workers. It has one of two forms:
  ///
  ///     Result<Requeue>(Context, const T&)                              objects that are gone are left out
  ///     Result<Requeue>(Context, const Key&, std::shared_ptr<const T>)  nullptr: it is gone
  ///
  /// The object is what the informer knows, and may be older than the server's: writes that carry its
  /// resourceVersion, or server-side apply, find that out.
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
