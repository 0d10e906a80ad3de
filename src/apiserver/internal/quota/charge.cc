// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/charge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "apiserver/internal/quota/pod_usage.h"
#include "apiserver/internal/quota/usage.h"

namespace fairway::apiserver::quota {
namespace {

/// Returns the amounts of those names that `limits` has.
Amounts masked(const Amounts& amounts, const Amounts& limits) {
  Amounts some;
  for (const auto& [name, amount] : amounts)
    if (limits.contains(name)) some.emplace(name, amount);
  return some;
}

/// Returns what a write adds to the usage of a quota: nothing that is 0, and of an update nothing that is
/// less.
Amounts added_by(const ChargedWrite& write, const k8s::View& quota) {
  Amounts usage = usage_of(write.object, write.resource, write.now);
  if (write.old != nullptr && has_in_scope(quota, *write.old, write.resource)) {
    for (const auto& [name, before] : usage_of(*write.old, write.resource, write.now)) {
      Amount& now = usage[name];
      now -= before;
      if (now.is_negative()) now = Amount();
    }
  }
  std::erase_if(usage, [](const auto& one) { return one.second.is_zero(); });
  return usage;
}

}  // namespace

std::expected<std::optional<Amounts>, std::string> charge(const k8s::View& quota, const ChargedWrite& write) {
  if (!may_change_usage(write.object, write.old, write.resource, write.part)) return std::nullopt;
  const Amounts hard = read_amounts(quota.find("status.hard")),
                used = read_amounts(quota.find("status.used"));
  std::set<std::string> restricted;
  for (const auto& [name, amount] : hard)
    if (counts(name, write.resource)) restricted.insert(name);
  if (restricted.empty() || !has_in_scope(quota, write.object, write.resource)) return std::nullopt;
  const std::string name(quota.text("metadata.name"));
  if (write.resource == k8s::GroupResource{"", "pods"}) {
    if (const auto missing = missing_in_pod(write.object, restricted); missing)
      return std::unexpected("failed quota: " + name + ": " + *missing);
  }
  if (!std::ranges::all_of(restricted, [&](const std::string& one) { return used.contains(one); })) {
    std::string list;
    for (const std::string& one : restricted) list += (list.empty() ? "" : ",") + one;
    return std::unexpected("status unknown for quota: " + name + ", resources: " + list);
  }
  const Amounts requested = masked(added_by(write, quota), hard);
  if (requested.empty()) return std::nullopt;
  Amounts next = used;
  add(next, requested);
  if (write.part != resources::Part::status) {
    Amounts exceeded;
    for (const auto& [one, amount] : requested)
      if (next[one] > hard.at(one)) exceeded.emplace(one, amount);
    if (!exceeded.empty()) {
      return std::unexpected("exceeded quota: " + name + ", requested: " + list_amounts(exceeded) +
                             ", used: " + list_amounts(masked(used, exceeded)) +
                             ", limited: " + list_amounts(masked(hard, exceeded)));
    }
  }
  return next;
}

void count(Amounts& used, const k8s::View& quota, const k8s::View& object, const k8s::GroupResource& resource,
           WallTime now) {
  if (has_in_scope(quota, object, resource))
    add(used, masked(usage_of(object, resource, now), read_amounts(quota.find("spec.hard"))));
}

}  // namespace fairway::apiserver::quota
