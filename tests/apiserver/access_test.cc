// SPDX-License-Identifier: Apache-2.0

// Who may do what, over HTTP.
#include <string>
#include <vector>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

class Access : public OnServer {
 protected:
  /// Returns the status of a user's request; 200 for any that succeeds.
  std::int64_t code_for(const std::string& user, const std::vector<std::string>& groups,
                        const std::string& method, const std::string& path,
                        const std::string& body = "") const {
    const auto certificate = server->client_certificate(user, groups).value();
    const auto theirs = client_of(*server, {.max_retries = 0}, &certificate);
    std::string reply;
    const auto sent = theirs->send(
        {.method = method, .path = path, .content_type = "application/json", .body = body}, reply);
    return sent ? 200 : sent.error().status.code();
  }
  void create(const std::string& path, const std::string& body) const {
    const json::Value made =
        parsed(send({.method = "POST", .path = path, .content_type = "application/json", .body = body}));
    ASSERT_NE(json::find_string(made, "kind"), "Status") << json::to_text(made);
  }
  void bind(const std::string& user, const std::string& role, const std::string& name = "b") const {
    create("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
           R"({"metadata":{"name":")" + name +
               R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
               role + R"("},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":")" +
               user + R"("}]})");
  }
};

const std::string maps = "/api/v1/namespaces/default/configmaps";
const std::string map_body = R"({"metadata":{"name":"m"}})";

TEST_F(Access, NobodyWithoutARightGetsAnything) {
  for (const char* method : {"GET", "POST", "DELETE"}) {
    EXPECT_EQ(code_for("bob", {}, method, maps, map_body), 403) << method;
  }
  for (const std::string& path :
       {maps + "/m", std::string("/api/v1/configmaps"), std::string("/api/v1/namespaces/none/configmaps"),
        std::string("/apis/example.com/v1/widgets"), std::string("/api/v1/nodes"), std::string("/logs"),
        std::string("/metrics")}) {
    EXPECT_EQ(code_for("bob", {}, "GET", path), 403) << path;
  }
}

TEST_F(Access, EverybodyFindsOutWhatThereIs) {
  for (const char* path : {"/api", "/apis", "/apis/apps/v1", "/version", "/healthz"}) {
    EXPECT_EQ(code_for("bob", {}, "GET", path), 200) << path;
  }
}

TEST_F(Access, ARightHoldsFromTheMomentItIsGivenUntilItIsTaken) {
  create("/apis/rbac.authorization.k8s.io/v1/clusterroles",
         R"({"metadata":{"name":"map-writer"},"rules":[{"apiGroups":[""],"resources":["configmaps"],
             "verbs":["create","list"]}]})");
  bind("bob", "map-writer");
  EXPECT_EQ(code_for("bob", {}, "POST", maps, map_body), 200);
  EXPECT_EQ(code_for("bob", {}, "GET", maps), 200);
  EXPECT_EQ(code_for("bob", {}, "GET", maps + "/m"), 403);
  EXPECT_EQ(code_for("bob", {}, "GET", "/api/v1/namespaces/kube-system/configmaps"), 403);
  EXPECT_EQ(code_for("eve", {}, "GET", maps), 403);
  send({.method = "DELETE", .path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/b"});
  EXPECT_EQ(code_for("bob", {}, "GET", maps), 403);
}

TEST_F(Access, NobodyGivesARightThatTheyDoNotHold) {
  create("/apis/rbac.authorization.k8s.io/v1/clusterroles",
         R"({"metadata":{"name":"role-writer"},"rules":[
             {"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles","rolebindings"],
              "verbs":["create","update","get"]},
             {"apiGroups":[""],"resources":["configmaps"],"verbs":["get"]}]})");
  bind("bob", "role-writer");
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
  const std::string bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
  const auto role = [](const std::string& name, const std::string& resource) {
    return R"({"metadata":{"name":")" + name + R"("},"rules":[{"apiGroups":[""],"resources":[")" + resource +
           R"("],"verbs":["get"]}]})";
  };
  const auto binding = [](const std::string& name, const std::string& kind, const std::string& to) {
    return R"({"metadata":{"name":")" + name +
           R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" + kind + R"(","name":")" + to +
           R"("},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"bob"}]})";
  };
  EXPECT_EQ(code_for("bob", {}, "POST", roles, role("mine", "configmaps")), 200);
  EXPECT_EQ(code_for("bob", {}, "POST", roles, role("more", "secrets")), 403);
  EXPECT_EQ(code_for("bob", {}, "PUT", roles + "/mine", role("mine", "secrets")), 403);
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("a", "ClusterRole", "cluster-admin")), 403);
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("a", "Role", "not-there-yet")), 404);
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("a", "Role", "mine")), 200);
  create("/apis/rbac.authorization.k8s.io/v1/clusterroles",
         R"({"metadata":{"name":"binder"},"rules":[{"apiGroups":["rbac.authorization.k8s.io"],
             "resources":["clusterroles"],"resourceNames":["view"],"verbs":["bind"]}]})");
  bind("bob", "binder", "binder");
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("b2", "ClusterRole", "view")), 200);
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("b3", "ClusterRole", "edit")), 403);
  EXPECT_EQ(code_for("bob", {}, "POST", bindings, binding("b4", "ClusterRole", "cluster-admin")), 403);
}

TEST_F(Access, AMemberOfMastersMayDoEverything) {
  EXPECT_EQ(code_for("root", {"system:masters"}, "GET", "/api/v1/nodes"), 200);
}

TEST_F(Access, ARefusalSaysWhoCannotDoWhat) {
  const auto certificate = server->client_certificate("bob", {}).value();
  const auto theirs = client_of(*server, {.max_retries = 0}, &certificate);
  std::string reply;
  const auto sent = theirs->send({.path = maps}, reply);
  ASSERT_FALSE(sent);
  EXPECT_EQ(
      sent.error().status.message(),
      "configmaps is forbidden: User \"bob\" cannot list resource \"configmaps\" in API group \"\" in the "
      "namespace \"default\"");
}

TEST_F(Access, TheDefaultRolesAreThere) {
  const json::Value role = parsed(get("/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin"));
  EXPECT_EQ(role.at("rules").get_array().size(), 2u);
  EXPECT_EQ(parsed(get("/apis/rbac.authorization.k8s.io/v1/clusterroles")).at("items").get_array().size(),
            73u);
}

}  // namespace
}  // namespace fairway::apiserver::testing
