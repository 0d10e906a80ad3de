// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/used_classes.h"

#include <algorithm>
#include <set>

#include "gateway/internal/objects/api.h"

namespace fairway::gateway {

std::vector<FinalizerChange> finalizer_changes(const Objects& objects) {
  std::set<std::string_view> used;
  for (const k8s::Dynamic* gateway : objects.all("Gateway"))
    used.insert(gateway->text("spec.gatewayClassName"));
  std::vector<FinalizerChange> changes;
  for (const k8s::Dynamic* object : objects.all("GatewayClass")) {
    if (object->text("spec.controllerName") != controller_name) continue;
    const bool is_used = used.contains(object->name());
    if (is_used == object->has_finalizer(class_finalizer) || (is_used && object->is_being_deleted()))
      continue;
    changes.push_back({.object = object, .is_used = is_used});
  }
  std::ranges::stable_partition(changes, &FinalizerChange::is_used);
  return changes;
}

}  // namespace fairway::gateway
