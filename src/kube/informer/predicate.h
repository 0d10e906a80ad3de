// SPDX-License-Identifier: Apache-2.0

// Predicates: filters of events.
#pragma once

#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "k8s/object.h"

namespace fairway::kube {

/// A filter of events. An empty function accepts everything.
struct Predicate {
  using OfObject = std::function<bool(const k8s::Dynamic& object)>;
  using OfChange = std::function<bool(const k8s::Dynamic& before, const k8s::Dynamic& now)>;
  OfObject created = {}, deleted = {};
  OfChange updated = {};

  Predicate() = default;
  /// Filters updates; creations and deletions pass.
  template <class Function>
    requires std::constructible_from<OfChange, Function>
  Predicate(Function function) : updated(std::move(function)) {}
  /// Filters by object: an update by the new object.
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

/// Returns whether the generation changed (something other than metadata and status), or deletion was
/// requested. Objects of kinds without generation (Secrets, ConfigMaps, Events) always pass.
bool generation_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
/// Returns whether the resourceVersion changed: not a resync.
bool resource_version_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
bool labels_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);
bool annotations_changed(const k8s::Dynamic& before, const k8s::Dynamic& now);

/// Combines predicates: all, or at least one, must accept. `any_of({})` accepts nothing, `all_of({})`
/// everything.
Predicate all_of(std::vector<Predicate> predicates);
Predicate any_of(std::vector<Predicate> predicates);
/// Accepts the events that `predicate` rejects.
Predicate none_of(Predicate predicate);

}  // namespace fairway::kube
