// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/scale_owners.h"

#include <utility>

#include "apiserver/internal/apply/field_filter.h"
#include "apiserver/internal/apply/managed_fields.h"

namespace fairway::apiserver::apply {
namespace {

FieldSet only(const Path& path) {
  FieldSet set;
  set.insert(path);
  return set;
}

Path replicas_of_scale() {
  return path_of({"spec", "replicas"});
}

void keep(internal::ManagedFields& to, const internal::ManagedFields& from, const std::string& manager,
          VersionedSet owned) {
  to.owners[manager] = std::move(owned);
  if (const auto time = from.times.find(manager); time != from.times.end()) to.times[manager] = time->second;
}

}  // namespace

Result<json::Array> owners_in_scale(const json::Value* entries, const ReplicasPlace& place) {
  const auto in_object = internal::ManagedFields::decode(entries);
  if (!in_object) return fail(in_object.error());
  internal::ManagedFields made;
  for (const auto& [manager, owned] : in_object->owners) {
    if (owned.api_version != place.api_version || !owned.set.has(place.path)) continue;
    keep(made, *in_object, manager, {only(replicas_of_scale()), std::string(scale_version), owned.applied});
  }
  return made.encode();
}

Result<json::Array> owners_in_object(const json::Value* entries, const json::Value* scale_entries,
                                     const ReplicasPlace& place) {
  const auto before = internal::ManagedFields::decode(entries);
  if (!before) return fail(before.error());
  auto in_scale = internal::ManagedFields::decode(scale_entries);
  if (!in_scale) return fail(in_scale.error());
  internal::ManagedFields made;
  for (const auto& [manager, owned] : before->owners) {
    // An update's entry is another one in the Scale, since its version is in its name: it gives the path
    // away, and takes it again below.
    if (owned.api_version != place.api_version || !owned.set.has(place.path) ||
        in_scale->owners.erase(manager) > 0) {
      keep(made, *before, manager, owned);
      continue;
    }
    FieldSet others = owned.set.difference(only(place.path));
    if (!others.empty()) {
      keep(made, *before, manager, {std::move(others), owned.api_version, owned.applied});
    }
  }
  for (const auto& [manager, owned] : in_scale->owners) {
    if (!owned.set.has(replicas_of_scale())) continue;
    // Without a time, unless the manager had an entry before: so kube-apiserver leaves it.
    keep(made, *before, manager, {only(place.path), place.api_version, owned.applied});
  }
  return made.encode();
}

}  // namespace fairway::apiserver::apply
