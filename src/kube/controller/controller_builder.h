// SPDX-License-Identifier: Apache-2.0

// The builder of controllers.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "k8s/api_resource.h"
#include "k8s/partial_object_metadata.h"
#include "kube/controller/controller.h"

namespace fairway::kube {

class Manager;
/// Registers a controller, for `ControllerBuilder`, which cannot include the Manager.
void register_at(Manager& manager, std::unique_ptr<Controller> controller);

/// Builds a controller. `Manager::controller` creates it; `reconcile` is the last call. `T` is a typed view,
/// or `k8s::Dynamic` for a kind that is known only at run time.
template <class T>
class ControllerBuilder {
 public:
  using KeysOfMetadata = std::function<std::vector<Key>(const k8s::PartialObjectMetadata& object)>;

  ControllerBuilder(Manager& manager, Environment& environment, std::string name, k8s::ApiResource kind)
      : manager_(manager), environment_(environment), kind_(std::move(kind)) {
    settings_.name = std::move(name);
  }

  /// Reconciles an object when an object of kind `U` changes that it owns as controller (`set_owner`).
  template <class U>
  ControllerBuilder& owns(Predicate predicate = {}, const InformerOptions& which = {}) {
    return add(informer_of<U>(U::resource), owner_of(kind_), std::move(predicate), which);
  }
  /// Reconciles an object when an object that it owns changes, of a kind that is known only at run time.
  ControllerBuilder& owns(const k8s::ApiResource& kind, Predicate predicate = {},
                          const InformerOptions& which = {}) {
    return add(informer_of<k8s::Dynamic>(kind), owner_of(kind_), std::move(predicate), which);
  }
  /// Reconciles owners as `owns` does, by the metadata of `U`'s objects alone, which has the owner
  /// references. The informer keeps nothing else of them; the predicate sees objects of kind
  /// PartialObjectMetadata.
  template <class U>
  ControllerBuilder& owns_metadata(Predicate predicate = {}, const InformerOptions& which = {}) {
    return owns_metadata(U::resource, std::move(predicate), which);
  }
  ControllerBuilder& owns_metadata(const k8s::ApiResource& kind, Predicate predicate = {},
                                   const InformerOptions& which = {}) {
    return add(metadata_of(kind), owner_of(kind_), std::move(predicate), which);
  }
  /// Reconciles the objects that `keys` returns when an object of kind `W` changes. `keys` is called on the
  /// informer's thread, with the old and with the new object, and must be fast.
  template <class W>
  ControllerBuilder& watches(std::function<std::vector<Key>(const W& object)> keys, Predicate predicate = {},
                             const InformerOptions& which = {}) {
    return add(
        informer_of<W>(W::resource),
        [keys = std::move(keys)](const k8s::Dynamic& object) { return keys(static_cast<const W&>(object)); },
        std::move(predicate), which);
  }
  /// Reconciles objects as above when an object changes of a kind that is known only at run time.
  ControllerBuilder& watches(const k8s::ApiResource& kind,
                             std::function<std::vector<Key>(const k8s::Dynamic& object)> keys,
                             Predicate predicate = {}, const InformerOptions& which = {}) {
    return add(informer_of<k8s::Dynamic>(kind), std::move(keys), std::move(predicate), which);
  }
  /// Reconciles objects as `watches` does, by the metadata of `W`'s objects alone (see `owns_metadata`).
  template <class W>
  ControllerBuilder& watches_metadata(KeysOfMetadata keys, Predicate predicate = {},
                                      const InformerOptions& which = {}) {
    return watches_metadata(W::resource, std::move(keys), std::move(predicate), which);
  }
  ControllerBuilder& watches_metadata(const k8s::ApiResource& kind, KeysOfMetadata keys,
                                      Predicate predicate = {}, const InformerOptions& which = {}) {
    return add(
        metadata_of(kind),
        [keys = std::move(keys)](const k8s::Dynamic& object) {
          return keys(k8s::PartialObjectMetadata::made_from(object));
        },
        std::move(predicate), which);
  }
  /// Filters events of the controller's own objects. For others, see `owns` and `watches`.
  ControllerBuilder& when(Predicate predicate) {
    predicate_ = std::move(predicate);
    return *this;
  }
  /// Selects the controller's own objects; default: all of the kind. An earlier `if_served`, `if_permitted`,
  /// `leave_out_quarantined` or `include_quarantined` still applies.
  ControllerBuilder& of(InformerOptions which) {
    which.if_served = which.if_served || which_.if_served;
    which.if_permitted = which.if_permitted || which_.if_permitted;
    which.leave_out_quarantined = which.leave_out_quarantined || which_.leave_out_quarantined;
    which.include_quarantined = which.include_quarantined || which_.include_quarantined;
    which_ = std::move(which);
    return *this;
  }
  /// Reconciles objects when the trigger is fired.
  ControllerBuilder& on(const Trigger& trigger) {
    triggers_.push_back(trigger);
    return *this;
  }
  /// Allows the kind that `owns` or `watches` named last not to be served: its CRD comes later, or never, and
  /// nothing waits for it. Before these calls it applies to the controller's own kind.
  ControllerBuilder& if_served() {
    (sources_.empty() ? which_ : sources_.back().which).if_served = true;
    return *this;
  }
  /// Allows that the controller has no right to list the kind that `owns` or `watches` named last (see
  /// `InformerOptions::if_permitted`). Before these calls it applies to the controller's own kind.
  ControllerBuilder& if_permitted() {
    (sources_.empty() ? which_ : sources_.back().which).if_permitted = true;
    return *this;
  }
  /// Leaves quarantined objects, which have no content, out of the source that `owns` or `watches` named
  /// last; before these calls, of the controller's own (`InformerOptions::leave_out_quarantined`). Such an
  /// object is not reconciled: its finalizer does not run, and nothing takes it for deleted. For kinds that
  /// another program converts; those that this one quarantines are left out without it.
  ControllerBuilder& leave_out_quarantined() {
    (sources_.empty() ? which_ : sources_.back().which).leave_out_quarantined = true;
    return *this;
  }
  /// Lets that source deliver quarantined objects, too, of a kind that this program quarantines.
  ControllerBuilder& include_quarantined() {
    (sources_.empty() ? which_ : sources_.back().which).include_quarantined = true;
    return *this;
  }
  /// Sets where the controller runs. `Runs::always`: in every replica; see `Context::leads`.
  ControllerBuilder& runs(Runs runs) {
    settings_.runs = runs;
    return *this;
  }
  /// Lets a change wait, so that changes that follow within this time are reconciled together. Resyncs,
  /// retries and requeues that a reconcile asked for do not wait.
  ControllerBuilder& debounce(std::chrono::nanoseconds wait) {
    settings_.debounce = wait;
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
    const Informer<T> own = informer_of<T>(kind_)(*environment_.informers, which_);
    std::vector<Source> sources;
    sources.push_back({own.untyped_informer(), std::move(predicate_),
                       [](const k8s::Dynamic& object) { return std::vector<Key>{object.key()}; }});
    for (Wanted& wanted : sources_) {
      sources.push_back({wanted.informer(*environment_.informers, wanted.which), std::move(wanted.predicate),
                         std::move(wanted.keys)});
    }
    Reconcile call;
    if constexpr (std::is_invocable_r_v<Result<Requeue>, Function&, Context, const T&>) {
      call = [own, function = std::move(function)](const Context& context) mutable -> Result<Requeue> {
        const auto object = own.find(context.key(), context.limits());
        if (own.is_quarantined(context.key())) return requeue_after(quarantine_pause);
        if (!object) return fail(object.error());
        if (!*object) return done();
        return function(context.seeing(**object), **object);
      };
    } else {
      static_assert(
          std::is_invocable_r_v<Result<Requeue>, Function&, Context, const Key&, std::shared_ptr<const T>>,
          "a reconcile takes (Context, const T&) or (Context, const Key&, std::shared_ptr<const T>), "
          "and returns Result<Requeue>");
      call = [own, function = std::move(function)](const Context& context) mutable -> Result<Requeue> {
        auto object = own.find(context.key(), context.limits());
        if (own.is_quarantined(context.key())) return requeue_after(quarantine_pause);
        if (!object) return fail(object.error());
        const Context seeing = *object ? context.seeing(**object) : context;
        return function(seeing, context.key(), *std::move(object));
      };
    }
    register_at(manager_, std::make_unique<Controller>(std::move(settings_), environment_, std::move(sources),
                                                       std::move(call), std::move(triggers_)));
  }

 private:
  /// Time after which a reconcile that a quarantine has held up is tried again. The object comes back without
  /// an event if a new converter is all that has changed.
  static constexpr std::chrono::minutes quarantine_pause{1};

  using Keys = std::function<std::vector<Key>(const k8s::Dynamic& object)>;
  using MakeInformer =
      std::function<Informer<k8s::Dynamic>(Informers& informers, const InformerOptions& which)>;
  /// A source whose informer is created once all its options are known.
  struct Wanted {
    MakeInformer informer = {};
    InformerOptions which = {};
    Predicate predicate = {};
    Keys keys = {};
  };

  /// Returns the function that creates the informer of a kind.
  template <class W>
  static auto informer_of(const k8s::ApiResource& kind) {
    return [kind](Informers& informers, const InformerOptions& which) {
      if constexpr (std::is_same_v<W, k8s::Dynamic>) {
        return informers.get(kind, which);
      } else {
        return informers.get<W>(which);
      }
    };
  }
  static auto metadata_of(const k8s::ApiResource& kind) {
    return [kind](Informers& informers, const InformerOptions& which) {
      return informers.get_metadata(kind, which);
    };
  }
  static Keys owner_of(k8s::ApiResource kind) {
    return [kind = std::move(kind)](const k8s::Dynamic& object) { return owner_keys(object, kind.view()); };
  }

  template <class Make>
  ControllerBuilder& add(Make informer, Keys keys, Predicate predicate, const InformerOptions& which) {
    sources_.push_back(
        {[informer = std::move(informer)](Informers& informers, const InformerOptions& options) {
           return informer(informers, options).untyped_informer();
         },
         which, std::move(predicate), std::move(keys)});
    return *this;
  }

  Manager& manager_;
  Environment& environment_;
  const k8s::ApiResource kind_;
  ControllerSettings settings_;
  InformerOptions which_;
  Predicate predicate_;
  std::vector<Wanted> sources_;
  std::vector<Trigger> triggers_;
};

}  // namespace fairway::kube
