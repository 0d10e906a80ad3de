// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/quota_status.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/quota/charge.h"
#include "apiserver/internal/quota/usage.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view quotas = "resourcequotas", controller = "resourcequota-controller";
/// Time after which all is counted anew: Pods that nobody ends stop counting by the time alone, and somebody
/// may have written another status. That of kube-controller-manager.
constexpr std::chrono::minutes period{5};

json::Value limits_of(const k8s::View& quota, std::string_view path) {
  const json::Value* limits = quota.find(path);
  return limits != nullptr ? *limits : json::Value(json::Object{});
}

bool has_new_limits(const k8s::View& quota) {
  return quota::read_amounts(quota.find("spec.hard")) != quota::read_amounts(quota.find("status.hard"));
}

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
    if (is_new || !quota.has("status.used") || has_new_limits(quota) || lacks_count(quota)) due_.insert(name);
  } else if (limited_.contains(name) && (observed.deleted || may_have_shrunk(observed))) {
    due_.insert(name);
  }
}

void QuotaStatus::resync(const std::string& resource) {
  due_ = limited_;
  if (resource == quotas) limited_.clear();
}

bool QuotaStatus::lacks_count(const k8s::View& quota) const {
  const quota::Amounts used = quota::read_amounts(quota.find("status.used"));
  for (const auto& [name, amount] : quota::read_amounts(quota.find("spec.hard"))) {
    if (used.contains(name)) continue;
    const auto counts = [&, &name = name](const resources::ServedResourcePtr& resource) {
      return resource->is_namespaced() && quota::counts(name, resource->group_resource());
    };
    if (std::ranges::any_of(objects_.registry().all(), counts)) return true;
  }
  return false;
}

void QuotaStatus::begin_anew() {
  const std::uint64_t generation = objects_.registry().generation();
  const WallTime now = objects_.clock().now();
  if (generation == generation_ && now >= counted_ && now - counted_ < period) return;
  generation_ = generation;
  counted_ = now;
  due_.insert(limited_.begin(), limited_.end());
}

bool QuotaStatus::work(const std::stop_token& stop) {
  begin_anew();
  const std::set<std::string> names = std::exchange(due_, {});
  // First, as counting may take long.
  for (const std::string& name : names) take_limits(name);
  for (const std::string& name : names)
    if (stop.stop_requested() || !settle(name, stop)) due_.insert(name);
  return due_.empty();
}

std::optional<quota::Amounts> QuotaStatus::count(const k8s::Dynamic& quota, const std::stop_token& stop) {
  const quota::Amounts hard = quota::read_amounts(quota.find("spec.hard"));
  const bool has_scopes = quota.has("spec.scopes") || quota.has("spec.scopeSelector");
  const WallTime now = objects_.clock().now();
  quota::Amounts used;
  std::set<k8s::GroupResource> seen;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all()) {
    const k8s::GroupResource counted = resource->group_resource();
    if (!resource->is_namespaced() || !seen.insert(counted).second) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, amount] : hard)
      if (quota::counts(name, counted)) names.push_back(name);
    if (names.empty()) continue;
    for (const std::string_view name : names) used.emplace(name, quota::Amount());
    const auto found = objects_.storage().list(
        {.resource = resource->storage, .namespace_name = std::string(quota.namespace_name())});
    if (!found) return std::nullopt;
    const auto counts_each = [&](std::string_view name) { return quota::counts_each(name, counted); };
    if (!has_scopes && std::ranges::all_of(names, counts_each)) {
      for (const std::string_view name : names)
        used.find(name)->second = quota::Amount::of(static_cast<std::int64_t>(found->records.size()));
      continue;
    }
    for (const storage::RecordPtr& record : found->records) {
      if (stop.stop_requested()) return std::nullopt;
      quota::count(used, quota, resources::parse(*record), counted, now);
    }
  }
  return used;
}

bool QuotaStatus::write_status(const storage::Record& quota, const json::Value& hard,
                               const json::Value* used) {
  const resources::ServedResourcePtr resource = objects_.registry().find({"", "v1", std::string(quotas)});
  if (resource == nullptr) return true;
  const objects::Objects::UpdateRequest request{
      .key = {std::string(quota.namespace_name()), std::string(quota.name())},
      .part = resources::Part::status,
      .transform = [&](const k8s::Dynamic* current) {
        k8s::Dynamic changed = *current;
        changed.set("status.hard", hard);
        if (used != nullptr) changed.set("status.used", *used);
        return changed;
      }};
  const objects::WriteContext context{
      .user = {.name = "system:serviceaccount:kube-system:" + std::string(controller),
               .groups = {std::string(access::masters_group)}},
      .field_manager = std::string(controller)};
  const auto written = objects_.update(*resource, request, context);
  return written || is_gone(written.error());
}

void QuotaStatus::take_limits(const std::string& namespace_name) {
  const auto found =
      objects_.storage().list({.resource = std::string(quotas), .namespace_name = namespace_name});
  if (!found) return;
  for (const storage::RecordPtr& record : found->records) {
    const k8s::Dynamic quota = resources::parse(*record);
    if (!has_new_limits(quota)) continue;
    const quota::Amounts used = quota::read_amounts(quota.find("status.used"));
    quota::Amounts known = quota::read_amounts(quota.find("spec.hard"));
    std::erase_if(known, [&](const auto& one) { return !used.contains(one.first); });
    if (known.empty()) continue;
    const auto held = objects_.hold_quotas(namespace_name);
    // Where this fails, the count brings them.
    write_status(*record, json::Value(quota::write_amounts(known)), nullptr);
  }
}

bool QuotaStatus::settle(const std::string& namespace_name, const std::stop_token& stop) {
  // Whatever is created waits until the count is written, which would be out of date at once otherwise.
  const auto held = objects_.hold_quotas(namespace_name);
  const auto found =
      objects_.storage().list({.resource = std::string(quotas), .namespace_name = namespace_name});
  if (!found) return false;
  if (found->records.empty()) limited_.erase(namespace_name);
  bool done = true;
  for (const storage::RecordPtr& record : found->records) {
    const k8s::Dynamic quota = resources::parse(*record);
    const auto used = count(quota, stop);
    if (!used) return false;
    const json::Value counted(quota::write_amounts(*used));
    // Those that were counted. If others have come meanwhile, their change has this count once more.
    done &= write_status(*record, limits_of(quota, "spec.hard"), &counted);
  }
  return done;
}

}  // namespace fairway::apiserver::controllers
