// SPDX-License-Identifier: Apache-2.0

// What the server does with the fields of built-in kinds that clients send.
#include "apiserver/server_case.h"
#include "base/json.h"

namespace fairway::apiserver {
namespace {

class TypedBodies : public testing::OnServer {
 protected:
  std::string create(const std::string& body, const std::string& query = "") const {
    return send({.method = "POST",
                 .path = "/apis/apps/v1/namespaces/default/deployments",
                 .query = query,
                 .content_type = "application/json",
                 .body = body});
  }
  static std::string deployment(const std::string& spec) {
    return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":)" + spec + "}";
  }
};

TEST_F(TypedBodies, HaveTheDefaultsOfARealServer) {
  const std::string made = create(deployment(R"({"unknown":1,"selector":{"matchLabels":{"a":"b"}},)"
                                             R"("template":{"metadata":{"labels":{"a":"b"}},)"
                                             R"("spec":{"containers":[{"name":"c","image":"x:1"}]}}})"));
  const k8s::Dynamic object = testing::object_of(made);
  EXPECT_EQ(object.integer("spec.replicas"), 1) << made;
  EXPECT_EQ(object.text("spec.strategy.type"), "RollingUpdate");
  EXPECT_EQ(object.text("spec.template.spec.restartPolicy"), "Always");
  EXPECT_EQ(object.find("spec.unknown"), nullptr) << "unknown fields are dropped";
}

TEST_F(TypedBodies, AreRefusedForUnknownFieldsWhereThatIsAskedFor) {
  const std::string reply =
      create(deployment(R"({"unknown":1,"replicas":1,"replicas":1})"), "fieldValidation=Strict");
  EXPECT_NE(
      reply.find(R"(Deployment in version \"v1\" cannot be handled as a Deployment: strict decoding error: )"
                 R"(unknown field \"spec.unknown\", duplicate field \"spec.replicas\")"),
      std::string::npos)
      << reply;
}

TEST_F(TypedBodies, AreRefusedForValuesOfAWrongType) {
  const std::string reply = create(deployment(R"({"replicas":"3"})"));
  EXPECT_NE(
      reply.find("json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type "
                 "int32"),
      std::string::npos)
      << reply;
  EXPECT_NE(reply.find(R"("code":400)"), std::string::npos) << reply;
}

TEST_F(TypedBodies, ArePatchedIntoWhatFitsTheirType) {
  send({.method = "POST",
        .path = "/api/v1/namespaces/default/configmaps",
        .content_type = "application/json",
        .body = json::to_text(config_map("m").json())});
  const std::string reply = send({.method = "PATCH",
                                  .path = "/api/v1/namespaces/default/configmaps/m",
                                  .content_type = "application/merge-patch+json",
                                  .body = R"({"data":{"a":1}})"});
  EXPECT_NE(reply.find(R"("code":422)"), std::string::npos) << reply;
  EXPECT_NE(reply.find("cannot unmarshal number into Go struct field ConfigMap.data of type string"),
            std::string::npos)
      << reply;
}

}  // namespace
}  // namespace fairway::apiserver
