// SPDX-License-Identifier: Apache-2.0

// ClusterRoles that are made of others.
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "apiserver/server_case.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const k8s::GroupVersionResource cluster_roles{"rbac.authorization.k8s.io", "v1", "clusterroles"};

bool names_resource(const k8s::Dynamic& role, std::string_view resource) {
  for (const k8s::View& rule : role.items("rules")) {
    for (const std::string_view one : rule.texts("resources")) {
      if (one == resource) return true;
    }
  }
  return false;
}

class RoleAggregation : public OnServer {
 protected:
  /// Waits until `is_it` holds for a role.
  bool wait_for(const std::string& name, const std::function<bool(const k8s::Dynamic&)>& is_it) const {
    bool seen = false;
    const auto take = [&](const k8s::WatchEvent& event) -> Result<void> {
      seen =
          event.object.name() == name && event.type != k8s::WatchEvent::Type::deleted && is_it(event.object);
      if (seen) return fail(ErrorCode::cancelled, "seen");
      return {};
    };
    const auto limit = fairway::testing::generous(6s);
    const auto ended =
        client->watch(cluster_roles, "", {.bookmarks = true, .initial_events = true, .timeout = limit}, take,
                      Limits::within(Clock::system(), limit + 10s));
    if (!seen && !ended) ADD_FAILURE() << ended.error().message;
    return seen;
  }
  void make(const std::string& text) const {
    const auto made = client->create(cluster_roles, object_of(text));
    ASSERT_TRUE(made) << made.error().message;
  }
};

TEST_F(RoleAggregation, IsDoneForTheDefaultRolesBeforeTheServerIsReady) {
  for (const char* name : {"view", "edit", "admin"}) {
    const auto role = client->get(cluster_roles, {"", name});
    ASSERT_TRUE(role);
    EXPECT_TRUE(names_resource(*role, "configmaps")) << name;
    EXPECT_EQ(names_resource(*role, "secrets"), std::string_view(name) != "view") << name;
  }
}

TEST_F(RoleAggregation, FollowsTheRolesThatAreSelected) {
  make(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"widgets",)"
       R"("labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}},)"
       R"("rules":[{"apiGroups":["example.com"],"resources":["widgets"],"verbs":["get"]}]})");
  make(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"own"},)"
       R"("aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[)"
       R"({"key":"rbac.authorization.k8s.io/aggregate-to-view","operator":"Exists"}]}]}})");
  for (const char* name : {"view", "edit", "admin", "own"}) {
    EXPECT_TRUE(wait_for(name, [](const k8s::Dynamic& role) { return names_resource(role, "widgets"); }))
        << name;
  }
  ASSERT_TRUE(client->remove(cluster_roles, {"", "widgets"}));
  for (const char* name : {"view", "edit", "admin", "own"}) {
    EXPECT_TRUE(wait_for(name, [](const k8s::Dynamic& role) { return !names_resource(role, "widgets"); }))
        << name;
  }
}

TEST_F(RoleAggregation, PutsBackWhatSomebodyElseWrites) {
  ASSERT_TRUE(client->patch(cluster_roles, {"", "view"}, kube::PatchType::merge,
                            parsed(R"({"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})")));
  EXPECT_TRUE(wait_for("view", [](const k8s::Dynamic& role) {
    return !names_resource(role, "*") && names_resource(role, "configmaps");
  }));
}

TEST(WithoutRoleAggregation, RolesAreLeftAlone) {
  const auto server = start_server({.namespace_defaults = false, .role_aggregation = false});
  const auto role = client_of(*server)->get(cluster_roles, {"", "view"});
  ASSERT_TRUE(role);
  EXPECT_TRUE(role->items("rules").empty());
}

}  // namespace
}  // namespace fairway::apiserver::testing
