// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/quota_status.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/quota/charge.h"
#include "apiserver/internal/quota/usage.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view quotas = "resourcequotas", controller = "resourcequota-controller";

/// Returns whether the usage of an object that is still there may have become less.
bool may_have_shrunk(const Observed& observed) {
  const std::string& text = observed.record->json();
  if (observed.resource == "pods") {
    constexpr std::array ends{R"("phase":"Succeeded")", R"("phase":"Failed")", R"("activeDeadlineSeconds")",
                              R"("resize")"};
    return std::ranges::any_of(ends, [&](const char* end) { return text.contains(end); });
  }
  return observed.resource == "services" || observed.resource == "persistentvolumeclaims" ||
         observed.resource == "resource.k8s.io/resourceclaims";
}

}  // namespace

void QuotaStatus::observe(const Observed& observed) {
  const std::string name(observed.record->namespace_name());
  if (observed.resource == quotas) {
    if (observed.deleted) return;
    const bool is_new = limited_.insert(name).second;
    const k8s::Dynamic quota = resources::parse(*observed.record);
    // Otherwise it has been changed by what was charged to it.
    if (is_new || !quota.has("status.used") ||
        quota::read_amounts(quota.find("spec.hard")) != quota::read_amounts(quota.find("status.hard"))) {
      due_.insert(name);
    }
  } else if (limited_.contains(name) && (observed.deleted || may_have_shrunk(observed))) {
    due_.insert(name);
  }
}

void QuotaStatus::resync(const std::string& resource) {
  due_ = limited_;
  if (resource == quotas) limited_.clear();
}

bool QuotaStatus::work() {
  bool done = true;
  for (const std::string& name : std::exchange(due_, {})) {
    if (settle(name)) continue;
    due_.insert(name);
    done = false;
  }
  return done;
}

k8s::StatusResult<k8s::Dynamic> QuotaStatus::counted(const k8s::Dynamic& quota) {
  const quota::Amounts hard = quota::read_amounts(quota.find("spec.hard"));
  quota::Amounts used;
  std::set<k8s::GroupResource> seen;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all()) {
    const k8s::GroupResource counted = resource->group_resource();
    if (!resource->is_namespaced() || !seen.insert(counted).second) continue;
    bool is_counted = false;
    for (const auto& [name, amount] : hard) {
      if (!quota::counts(name, counted)) continue;
      used.emplace(name, quota::Amount());
      is_counted = true;
    }
    if (!is_counted) continue;
    const auto found = objects_.storage().list(
        {.resource = resource->storage, .namespace_name = std::string(quota.namespace_name())});
    if (!found) return std::unexpected(resources::status_of(found.error()));
    for (const storage::RecordPtr& record : found->records)
      quota::count(used, quota, resources::parse(*record), counted, objects_.clock().now());
  }
  k8s::Dynamic changed = quota;
  const json::Value* limits = quota.find("spec.hard");
  changed.set("status.hard", limits != nullptr ? *limits : json::Value(json::Object{}));
  changed.set("status.used", json::Value(quota::write_amounts(used)));
  return changed;
}

bool QuotaStatus::settle(const std::string& namespace_name) {
  const resources::ServedResourcePtr resource = objects_.registry().find({"", "v1", std::string(quotas)});
  if (resource == nullptr) return true;
  const auto found =
      objects_.storage().list({.resource = std::string(quotas), .namespace_name = namespace_name});
  if (!found) return false;
  if (found->records.empty()) limited_.erase(namespace_name);
  bool done = true;
  for (const storage::RecordPtr& record : found->records) {
    // What is created meanwhile is charged to the quota, and has this count once more.
    const objects::Objects::UpdateRequest request{
        .key = {namespace_name, std::string(record->name())},
        .part = resources::Part::status,
        .transform = [this](const k8s::Dynamic* current) { return counted(*current); }};
    const objects::WriteContext context{
        .user = {.name = "system:serviceaccount:kube-system:" + std::string(controller),
                 .groups = {std::string(access::masters_group)}},
        .field_manager = std::string(controller)};
    const auto written = objects_.update(*resource, request, context);
    done &= written || is_gone(written.error());
  }
  return done;
}

}  // namespace fairway::apiserver::controllers
