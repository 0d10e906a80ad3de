// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/role_aggregation.h"

#include <utility>
#include <vector>

#include "apiserver/internal/access/default_policy.h"
#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view cluster_roles = "rbac.authorization.k8s.io/clusterroles";
constexpr std::string_view controller = "clusterrole-aggregation-controller";

}  // namespace

void RoleAggregation::observe(const Observed& observed) {
  due_ |= observed.resource == cluster_roles;
}

void RoleAggregation::resync(const std::string& resource) {
  due_ |= resource == cluster_roles;
}

bool RoleAggregation::work() {
  if (!std::exchange(due_, false)) return true;
  const auto all = objects_.storage().list({.resource = std::string(cluster_roles)});
  if (!all) {
    due_ = true;
    return false;
  }
  std::vector<json::Value> roles;
  for (const storage::RecordPtr& record : all->records) {
    if (auto role = json::parse(record->json())) roles.push_back(*std::move(role));
  }
  // A role may take the rules of one that has been given its own here.
  for (const std::size_t changed : access::aggregate(roles)) {
    const k8s::Dynamic role(roles[changed].as_object());
    const json::Value* rules = role.find("rules");
    if (!write(std::string(role.name()), rules->get_array())) due_ = true;
  }
  return !due_;
}

bool RoleAggregation::write(const std::string& name, const json::Array& rules) {
  const resources::ServedResourcePtr resource =
      objects_.registry().find({"rbac.authorization.k8s.io", "v1", "clusterroles"});
  const objects::Objects::UpdateRequest request{
      .key = {"", name}, .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        // Somebody may have written its own rules meanwhile.
        if (changed.has("aggregationRule")) changed.set("rules", json::Value(rules));
        return changed;
      }};
  const objects::WriteContext context{
      .user = {.name = "system:serviceaccount:kube-system:" + std::string(controller),
               .groups = {std::string(access::masters_group)}},
      .field_manager = std::string(controller)};
  const auto done = objects_.update(*resource, request, context);
  return done || is_gone(done.error());
}

}  // namespace fairway::apiserver::controllers
