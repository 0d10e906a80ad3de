// SPDX-License-Identifier: Apache-2.0

// Requests in the name of others. What a real server answers is in recorded_access_test.cc.
#include "apiserver/internal/access/impersonation.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

k8s::StatusResult<std::optional<access::User>> read(const Headers& headers) {
  std::vector<http::Field> fields;
  for (const auto& [name, value] : headers) fields.push_back({name, value});
  return access::impersonated_user(fields);
}

TEST(Impersonation, IsReadFromTheHeaders) {
  EXPECT_FALSE(read({{"Authorization", "x"}}).value());
  const auto user = read({{"impersonate-user", "bob"},
                          {"IMPERSONATE-UID", "42"},
                          {"Impersonate-Group", "a"},
                          {"impersonate-group", "b"},
                          {"Impersonate-Extra-Scopes", "view"},
                          {"Impersonate-Extra-acme.io%2Fk", "1"},
                          {"impersonate-extra-scopes", "edit"},
                          {"Impersonate-Extra-50%", "x"}})
                        .value();
  ASSERT_TRUE(user);
  EXPECT_EQ(*user,
            (access::User{.name = "bob",
                          .uid = "42",
                          .groups = {"a", "b"},
                          .extra = {{"scopes", {"view", "edit"}}, {"acme.io/k", {"1"}}, {"50%", {"x"}}}}));
}

TEST(Impersonation, ThatIsNotUnderstoodIsRefused) {
  for (const Headers& headers :
       std::vector<Headers>{{{"Impersonate-Group", "system:masters"}},
                            {{"Impersonate-Uid", "1"}},
                            {{"Impersonate-Uid", ""}},
                            {{"Impersonate-User", ""}},
                            {{"Impersonate-User", ""}, {"Impersonate-Group", "a"}},
                            {{"Impersonate-User", "a"}, {"Impersonate-User", "b"}},
                            {{"Impersonate-User", "a"}, {"Impersonate-Uid", "1"}, {"impersonate-uid", "2"}},
                            {{"Impersonate-User", "a"}, {"Impersonate-Role", "b"}},
                            {{"Impersonate-Users", "a"}},
                            {{"Impersonate-User", "\xff"}},
                            {{"Impersonate-User", "a"}, {"Impersonate-Group", "\xc0"}},
                            {{"Impersonate-User", "a"}, {"Impersonate-Extra-%ff", "b"}}}) {
    const auto user = read(headers);
    ASSERT_FALSE(user) << headers.front().first << ": " << headers.front().second;
    EXPECT_EQ(user.error().code(), 400);
  }
}

class ImpersonationOverHttp : public OnServer {
 protected:
  RawClient admin{*server, &server->admin()};
};

TEST_F(ImpersonationOverHttp, IsNeverIgnored) {
  const std::string map = "/api/v1/namespaces/default/configmaps/m";
  ASSERT_EQ(
      admin.send("POST", "/api/v1/namespaces/default/configmaps", {}, R"({"metadata":{"name":"m"}})").status,
      201);
  for (const http::Headers& headers : std::vector<http::Headers>{{{"Impersonate-User", "bob"}},
                                                                 {{"impersonate-user", "bob"}},
                                                                 {{"Impersonate-Group", "nobody"}},
                                                                 {{"Impersonate-Uid", "1"}},
                                                                 {{"Impersonate-User", ""}},
                                                                 {{"Impersonate-Extra-Scopes", "none"}},
                                                                 {{"Impersonate-Anything", "bob"}}}) {
    for (const char* method : {"GET", "DELETE", "PUT", "PATCH"}) {
      const bool has_body = method[0] == 'P';
      const http::Reply reply =
          admin.send(method, map, headers, has_body ? R"({"metadata":{"name":"m"}})" : "");
      EXPECT_GE(reply.status, 400) << method << " " << headers.begin()->first << " " << reply.body;
      EXPECT_LE(reply.status, 403) << method << " " << headers.begin()->first << " " << reply.body;
    }
  }
  EXPECT_EQ(admin.send("GET", map).status, 200);
}

TEST_F(ImpersonationOverHttp, GivesTheRightsOfTheOtherAndNoMore) {
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
  const auto create = [&](const std::string& path, const std::string& body) {
    const http::Reply made = admin.send("POST", path, {}, body);
    ASSERT_EQ(made.status, 201) << made.body;
  };
  create(rbac + "clusterroles", R"({"metadata":{"name":"be-bob"},"rules":[{"verbs":["impersonate"],)"
                                R"("apiGroups":[""],"resources":["users"],"resourceNames":["bob"]},)"
                                R"({"verbs":["list"],"apiGroups":[""],"resources":["secrets"]}]})");
  create(rbac + "clusterroles", R"({"metadata":{"name":"list-maps"},"rules":[{"verbs":["list"],)"
                                R"("apiGroups":[""],"resources":["configmaps"]}]})");
  const auto bind = [&](const std::string& name, const std::string& user) {
    create(rbac + "clusterrolebindings", R"({"metadata":{"name":")" + name +
                                             R"("},"subjects":[{"apiGroup":"rbac.authorization.k8s.io",)" +
                                             R"("kind":"User","name":")" + user +
                                             R"("}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)" +
                                             R"("kind":"ClusterRole","name":")" + name + R"("}})");
  };
  bind("be-bob", "ann");
  bind("list-maps", "bob");
  const auto certificate = server->client_certificate("ann", {}).value();
  const RawClient ann(*server, &certificate);
  const http::Headers as_bob{{"Impersonate-User", "bob"}};
  EXPECT_EQ(ann.send("GET", "/api/v1/configmaps").status, 403);
  EXPECT_EQ(ann.send("GET", "/api/v1/configmaps", as_bob).status, 200);
  EXPECT_EQ(ann.send("GET", "/api/v1/secrets").status, 200);
  EXPECT_EQ(ann.send("GET", "/api/v1/secrets", as_bob).status, 403);
  for (const http::Headers& more :
       std::vector<http::Headers>{{{"Impersonate-User", "eve"}},
                                  {{"Impersonate-User", "bob"}, {"Impersonate-Group", "system:masters"}},
                                  {{"Impersonate-User", "bob"}, {"Impersonate-Group", "crew"}},
                                  {{"Impersonate-User", "bob"}, {"Impersonate-Uid", "1"}},
                                  {{"Impersonate-User", "bob"}, {"Impersonate-Extra-a", "b"}},
                                  {{"Impersonate-User", "system:serviceaccount:default:bob"}}}) {
    EXPECT_EQ(ann.send("GET", "/api/v1/configmaps", more).status, 403);
  }
}

TEST_F(ImpersonationOverHttp, WritesInTheOthersName) {
  // Nobody grants in the name of somebody what that one does not hold.
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const std::string binding =
      R"({"metadata":{"name":"writers"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User",)"
      R"("name":"bob"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"writer"}})";
  ASSERT_EQ(admin
                .send("POST", roles, {},
                      R"({"metadata":{"name":"writer"},"rules":[{"verbs":["create"],)"
                      R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"]}]})")
                .status,
            201);
  ASSERT_EQ(admin.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {}, binding).status,
            201);
  const http::Reply reply = admin.send(
      "POST", roles, {{"Impersonate-User", "bob"}},
      R"({"metadata":{"name":"all"},"rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})");
  EXPECT_EQ(reply.status, 403) << reply.body;
  EXPECT_NE(reply.body.find(R"(user \"bob\" (groups=[\"system:authenticated\"]) is attempting to grant)"),
            std::string::npos)
      << reply.body;
}

}  // namespace
}  // namespace fairway::apiserver::testing
