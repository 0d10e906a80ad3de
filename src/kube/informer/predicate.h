// Which changes of an object are worth a look.
#pragma once

#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// Functions that are absent let everything through.
struct Predicate {
  using OfObject = std::function<bool(const k8s::Dynamic& object)>;
  using OfChange = std::function<bool(const k8s::Dynamic& before, const k8s::Dynamic& now)>;
  OfObject created, deleted;
  OfChange updated;

  Predicate() = default;
  /// Judges changes; what is created or deleted passes.
  template <class Function>
    requires std::constructible_from<OfChange, Function>
  Predicate(Function function) : updated(std::move(function)) {}
  /// Judges objects: a change by what the object is now.
  template <class Function>
    requires(std::constructible_from<OfObject, Function> && !std::constructible_from<OfChange, Function>)
  Predicate(Function function) : created(function), deleted(function) {
    updated = [function = std::move(function)](const k8s::Dynamic&, const k8s::Dynamic& now) {
      return function(now);
    };
  }

  bool on_created(const k8s::Dynamic& object) const { return !created || created(object); }
  bool on_updated(const k8s::Dynamic& before, const k8s::Dynamic& now) const {
    return !updated || updated(before, now);
  }
  bool on_deleted(const k8s::Dynamic& last) const { return !deleted || deleted(last); }
};

/// Something beside metadata and status has changed, or a deletion was asked for. Objects whose kind counts
/// no generations (Secrets, ConfigMaps, Events) always pass.
bool generation_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
/// Not only a resync.
bool resource_version_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
bool labels_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
bool annotations_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);

/// All, or at least one, of them lets it through. `any_of({})` lets nothing through, `all_of({})` everything.
Predicate all_of(std::vector<Predicate> predicates);
Predicate any_of(std::vector<Predicate> predicates);
/// What it does not let through.
Predicate none_of(Predicate predicate);

}  // namespace fairway::kube
