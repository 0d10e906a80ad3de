// SPDX-License-Identifier: Apache-2.0

// Reviews are answered and never stored. What a real server answers is in recorded_access_test.cc.
#include <string>
#include <vector>

#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

const std::string authorization = "/apis/authorization.k8s.io/v1";
const std::string authentication = "/apis/authentication.k8s.io/v1";

/// Returns a field of protobuf that holds text or a message, of less than 128 bytes.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string envelope(const std::string& api_version, const std::string& kind, const std::string& message) {
  return std::string("k8s\0", 4) + field(1, field(1, api_version) + field(2, kind)) + field(2, message);
}

class Reviews : public OnServer {
 protected:
  http::Reply send(const RawClient& from, const std::string& path, const std::string& body,
                   const std::string& type = "application/json") const {
    return from.send("POST", path, {{"Content-Type", type}}, body);
  }
  RawClient as(const std::string& user, const std::vector<std::string>& groups = {}) const {
    const auto certificate = server->client_certificate(user, groups).value();
    return RawClient(*server, &certificate);
  }
  RawClient admin{*server, &server->admin()};
};

TEST_F(Reviews, SayWhatTheUserMayDo) {
  const std::string body =
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
      R"({"resourceAttributes":{"verb":"list","resource":"configmaps","namespace":"default"}}})";
  const http::Reply mine = send(admin, authorization + "/selfsubjectaccessreviews", body);
  EXPECT_EQ(mine.status, 201);
  EXPECT_TRUE(body_of(mine).flag("status.allowed")) << mine.body;
  const http::Reply theirs = send(as("bob"), authorization + "/selfsubjectaccessreviews", body);
  EXPECT_EQ(theirs.status, 201);
  EXPECT_EQ(body_of(theirs).find_flag("status.allowed"), false) << theirs.body;
  EXPECT_EQ(body_of(theirs).text("spec.resourceAttributes.resource"), "configmaps");
}

TEST_F(Reviews, AreReadFromProtobufAndYaml) {
  const std::string protobuf =
      envelope("authorization.k8s.io/v1", "SelfSubjectAccessReview",
               field(2, field(1, field(1, "default") + field(2, "list") + field(5, "configmaps"))));
  const http::Reply reply = send(admin, authorization + "/selfsubjectaccessreviews", protobuf,
                                 "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(reply.status, 201) << reply.body;
  EXPECT_TRUE(body_of(reply).flag("status.allowed"));
  EXPECT_EQ(body_of(reply).text("spec.resourceAttributes.resource"), "configmaps");
  const http::Reply self = send(as("bob", {"crew"}), authentication + "/selfsubjectreviews",
                                envelope("authentication.k8s.io/v1", "SelfSubjectReview", ""),
                                "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(body_of(self).text("status.userInfo.username"), "bob") << self.body;
  EXPECT_EQ(body_of(self).texts("status.userInfo.groups"),
            (std::vector<std::string_view>{"crew", "system:authenticated"}));
  const http::Reply yaml =
      send(admin, authorization + "/subjectaccessreviews",
           "spec:\n  user: bob\n  nonResourceAttributes: {path: /logs, verb: get}\n", "application/yaml");
  EXPECT_EQ(body_of(yaml).find_flag("status.allowed"), false) << yaml.body;
  ASSERT_EQ(
      send(admin, "/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})").status,
      201);
  const http::Reply token =
      send(admin, "/api/v1/namespaces/default/serviceaccounts/robot/token",
           envelope("authentication.k8s.io/v1", "TokenRequest", field(2, field(1, "vault"))),
           "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(token.status, 201) << token.body;
  EXPECT_EQ(body_of(token).texts("spec.audiences"), std::vector<std::string_view>{"vault"});
  EXPECT_EQ(body_of(token).integer("spec.expirationSeconds"), 3600);
}

TEST_F(Reviews, ObeyStrictFieldValidation) {
  const http::Reply reply =
      send(admin, authorization + "/subjectaccessreviews?fieldValidation=Strict",
           R"({"spec":{"user":"bob","none":1,"nonResourceAttributes":{"path":"/","verb":"get"}}})");
  EXPECT_EQ(reply.status, 400) << reply.body;
  EXPECT_NE(reply.body.find(R"(unknown field \"spec.none\")"), std::string::npos) << reply.body;
}

TEST_F(Reviews, CanOnlyBeCreated) {
  for (const char* method : {"GET", "DELETE", "PUT", "PATCH"}) {
    for (const std::string& path :
         {authorization + "/subjectaccessreviews", authorization + "/subjectaccessreviews/x",
          authentication + "/tokenreviews"}) {
      const http::Reply reply = admin.send(method, path, {}, method[0] == 'P' ? "{}" : "");
      EXPECT_TRUE(reply.status == 404 || reply.status == 405) << method << " " << path << " " << reply.body;
    }
  }
}

TEST_F(Reviews, AreFoundByDiscovery) {
  for (const auto& [path, name] : {std::pair(authorization, std::string("localsubjectaccessreviews")),
                                   std::pair(authentication, std::string("tokenreviews")),
                                   std::pair(std::string("/api/v1"), std::string("serviceaccounts/token"))}) {
    EXPECT_NE(admin.send("GET", path).body.find("\"name\":\"" + name + "\""), std::string::npos) << path;
  }
}

TEST_F(Reviews, OfOthersNeedTheRightToThem) {
  const std::string body = R"({"spec":{"user":"eve","nonResourceAttributes":{"path":"/","verb":"get"}}})";
  EXPECT_EQ(send(as("bob"), authorization + "/subjectaccessreviews", body).status, 403);
  EXPECT_EQ(send(as("bob"), authentication + "/tokenreviews", R"({"spec":{"token":"x"}})").status, 403);
  EXPECT_EQ(send(as("bob"), "/api/v1/namespaces/default/serviceaccounts/default/token", "{}").status, 403);
}

}  // namespace
}  // namespace fairway::apiserver::testing
