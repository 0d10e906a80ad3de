// SPDX-License-Identifier: Apache-2.0

// The ResourceQuotas of a namespace, which a write has to fit into.
#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/quota/charge.h"
#include "apiserver/internal/quota/usage.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::objects {
namespace {

/// Number of changes of a quota by others, who do not lock it, after which a write is refused.
constexpr int quota_attempts = 64;

/// Returns whether a quota has a limit for objects of a resource.
bool limits(const k8s::View& quota, const k8s::GroupResource& resource) {
  constexpr std::array<std::string_view, 2> paths{"spec.hard", "status.hard"};
  return std::ranges::any_of(paths, [&](std::string_view path) {
    const k8s::StringMap hard = quota.map(path);
    return std::ranges::any_of(hard, [&](const auto& one) { return quota::counts(one.first, resource); });
  });
}

}  // namespace

bool Objects::is_charged(const Charged& charged) const {
  const k8s::GroupResource counted = charged.resource.group_resource();
  return has_quotas_ && charged.resource.is_namespaced() && quota::is_counted(counted) &&
         quota::may_change_usage(charged.object, charged.old, counted, charged.part);
}

k8s::StatusResult<std::vector<storage::RecordPtr>> Objects::quotas_in(const std::string& namespace_name) {
  const resources::ServedResourcePtr quotas = registry_.find({"", "v1", "resourcequotas"});
  if (quotas == nullptr) return std::vector<storage::RecordPtr>();
  auto found = storage_.list({.resource = quotas->storage, .namespace_name = namespace_name});
  if (!found) return std::unexpected(resources::status_of(found.error()));
  return std::move(found->records);
}

k8s::StatusResult<std::vector<storage::Change>> Objects::charge_quotas(const Charged& charged) {
  std::vector<storage::Change> changes;
  if (!is_charged(charged)) return changes;
  const k8s::GroupResource counted = charged.resource.group_resource();
  const auto found = quotas_in(std::string(charged.object.namespace_name()));
  if (!found) return std::unexpected(found.error());
  const quota::ChargedWrite write{.resource = counted,
                                  .object = charged.object,
                                  .old = charged.old,
                                  .part = charged.part,
                                  .now = clock_.now()};
  for (const storage::RecordPtr& record : *found) {
    k8s::Dynamic quota = resources::parse(*record);
    auto used = quota::charge(quota, write);
    if (!used) return std::unexpected(k8s::answer::forbidden(counted, charged.object.name(), used.error()));
    if (!*used) continue;
    quota.set("status.used", json::Value(quota::write_amounts(**used)));
    const resources::ServedResourcePtr quotas = registry_.find({"", "v1", "resourcequotas"});
    auto change = change_to(quota, *quotas, storage::Precondition::at(record->revision()));
    if (!change) return std::unexpected(change.error());
    changes.push_back(*std::move(change));
  }
  return changes;
}

k8s::StatusResult<storage::Written> Objects::write_charged(const std::vector<storage::Change>& changes,
                                                           const Charged& charged) {
  if (!is_charged(charged)) return write(changes);
  const std::string name(charged.object.namespace_name());
  // Those that nothing limits write at the same time, yet not while a quota is counted that has just come:
  // it would miss them.
  std::optional<NamespaceLocks::Held> held(locks_.share(name));
  const auto found = quotas_in(name);
  if (!found) return std::unexpected(found.error());
  const bool is_limited = std::ranges::any_of(*found, [&](const storage::RecordPtr& record) {
    return limits(resources::parse(*record), charged.resource.group_resource());
  });
  if (!is_limited) return write(changes);
  held.reset();
  held.emplace(locks_.own(name));
  for (int attempt = 0; attempt < quota_attempts; ++attempt) {
    const auto charges = charge_quotas(charged);
    if (!charges) return std::unexpected(charges.error());
    std::vector<storage::Change> all = changes;
    std::ranges::copy(*charges, std::back_inserter(all));
    auto written = write(std::move(all));
    if (!written || !written->conflict || written->conflict->change < changes.size()) return written;
  }
  return std::unexpected(
      k8s::answer::conflict(charged.resource.group_resource(), charged.object.name(),
                            "a quota of its namespace was changed by others all the time"));
}

}  // namespace fairway::apiserver::objects
