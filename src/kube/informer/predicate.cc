// SPDX-License-Identifier: Apache-2.0

#include "kube/informer/predicate.h"

#include <algorithm>
#include <memory>

namespace fairway::kube {

namespace {

bool same_entries(const k8s::StringMap& a, const k8s::StringMap& b) {
  const auto within = [](const k8s::StringMap& one, const k8s::StringMap& other) {
    return std::all_of(one.begin(), one.end(),
                       [&](const auto& entry) { return other.find(entry.first) == entry.second; });
  };
  return within(a, b) && within(b, a);
}

}  // namespace

bool generation_changed(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  if (now.generation() == 0) return true;
  return before.generation() != now.generation() || before.is_being_deleted() != now.is_being_deleted();
}

bool resource_version_changed(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  return before.resource_version() != now.resource_version();
}

bool labels_changed(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  return !same_entries(before.labels(), now.labels());
}

bool annotations_changed(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  return !same_entries(before.annotations(), now.annotations());
}

Predicate all_of(std::vector<Predicate> predicates) {
  const auto all = std::make_shared<const std::vector<Predicate>>(std::move(predicates));
  Predicate result;
  result.created = [all](const k8s::Dynamic& object) {
    return std::ranges::all_of(*all, [&](const Predicate& one) { return one.on_created(object); });
  };
  result.updated = [all](const k8s::Dynamic& before, const k8s::Dynamic& now) {
    return std::ranges::all_of(*all, [&](const Predicate& one) { return one.on_updated(before, now); });
  };
  result.deleted = [all](const k8s::Dynamic& last) {
    return std::ranges::all_of(*all, [&](const Predicate& one) { return one.on_deleted(last); });
  };
  return result;
}

Predicate any_of(std::vector<Predicate> predicates) {
  for (Predicate& one : predicates) one = none_of(std::move(one));
  return none_of(all_of(std::move(predicates)));
}

Predicate none_of(Predicate predicate) {
  const auto one = std::make_shared<const Predicate>(std::move(predicate));
  Predicate result;
  result.created = [one](const k8s::Dynamic& object) { return !one->on_created(object); };
  result.updated = [one](const k8s::Dynamic& before, const k8s::Dynamic& now) {
    return !one->on_updated(before, now);
  };
  result.deleted = [one](const k8s::Dynamic& last) { return !one->on_deleted(last); };
  return result;
}

}  // namespace fairway::kube
