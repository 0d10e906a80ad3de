// SPDX-License-Identifier: Apache-2.0

// The ResourceQuotas of a namespace, which a write has to fit into.
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/quota/charge.h"
#include "apiserver/internal/quota/usage.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {

k8s::StatusResult<std::vector<storage::Change>> Objects::charge_quotas(
    const resources::ServedResource& resource, const k8s::Dynamic& object, const k8s::Dynamic* old,
    resources::Part part) {
  std::vector<storage::Change> changes;
  const k8s::GroupResource counted = resource.group_resource();
  // Events are what a namespace is told by, also where it is full.
  if (!has_quotas_ || !resource.is_namespaced() || counted == k8s::GroupResource{"", "events"})
    return changes;
  const quota::ChargedWrite write{
      .resource = counted, .object = object, .old = old, .part = part, .now = clock_.now()};
  if (!quota::may_change_usage(object, old, counted, part)) return changes;
  const resources::ServedResourcePtr quotas = registry_.find({"", "v1", "resourcequotas"});
  if (quotas == nullptr) return changes;
  const auto found =
      storage_.list({.resource = quotas->storage, .namespace_name = std::string(object.namespace_name())});
  if (!found) return std::unexpected(resources::status_of(found.error()));
  for (const storage::RecordPtr& record : found->records) {
    k8s::Dynamic quota = resources::parse(*record);
    auto used = quota::charge(quota, write);
    if (!used) return std::unexpected(k8s::answer::forbidden(counted, object.name(), used.error()));
    if (!*used) continue;
    quota.set("status.used", json::Value(quota::write_amounts(**used)));
    auto change = change_to(quota, *quotas, storage::Precondition::at(record->revision()));
    if (!change) return std::unexpected(change.error());
    changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace fairway::apiserver::objects
