// SPDX-License-Identifier: Apache-2.0

// OpenAPI documents, the subresource scale, and metrics, as clients ask for them.
#include <string>

#include "apiserver/server_case.h"
#include "base/text.h"
#include "k8s/wire/resource_path.h"
#include "kube/wait/wait_until.h"
#include "support/generous.h"

namespace fairway::apiserver::testing {
namespace {

const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
  "metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
  "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,
  "selectableFields":[{"jsonPath":".spec.size"}],
  "subresources":{"status":{},"scale":{"specReplicasPath":".spec.size","statusReplicasPath":".status.size",
    "labelSelectorPath":".status.selector"}},
  "schema":{"openAPIV3Schema":{"type":"object","description":"A thing.","properties":{
    "spec":{"type":"object","properties":{"size":{"type":"integer","nullable":true,"description":"How large."}}},
    "status":{"type":"object","properties":{"size":{"type":"integer"},"selector":{"type":"string"}}}}}}}]}})";

class ApiDocuments : public OnServer {
 protected:
  json::Value post(const std::string& path, const std::string& body) const {
    return parsed(send({.method = "POST", .path = path, .content_type = "application/json", .body = body}));
  }
  json::Value put(const std::string& path, const std::string& body) const {
    return parsed(send({.method = "PUT", .path = path, .content_type = "application/json", .body = body}));
  }
  json::Value patch(const std::string& path, const std::string& body) const {
    return parsed(send(
        {.method = "PATCH", .path = path, .content_type = "application/merge-patch+json", .body = body}));
  }
  void define() const {
    post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    server->wait_until_current();
  }
  std::string url_of(const std::string& group_version) const {
    const json::Value index = parsed(get("/openapi/v3"));
    const json::Value* found = index.at("paths").as_object().if_contains(group_version);
    return found == nullptr ? "" : std::string(found->at("serverRelativeURL").as_string());
  }
  json::Value document_at(const std::string& url) const {
    const std::size_t query = url.find('?');
    return parsed(get(url.substr(0, query), query == std::string::npos ? "" : url.substr(query + 1)));
  }
};

TEST_F(ApiDocuments, OfAGroupVersionAreInTheIndex) {
  const std::string url = url_of("apis/apps/v1");
  ASSERT_TRUE(url.starts_with("/openapi/v3/apis/apps/v1?hash=")) << url;
  const json::Value document = document_at(url);
  EXPECT_EQ(document.at("openapi"), "3.0.0");
  const json::Value& item =
      document.at("paths").at("/apis/apps/v1/namespaces/{namespace}/deployments/{name}");
  const json::Value& patch = item.at("patch");
  EXPECT_EQ(json::to_text(patch.at("x-kubernetes-group-version-kind")),
            R"({"group":"apps","kind":"Deployment","version":"v1"})");
  EXPECT_NE(json::to_text(patch.at("parameters")).find(R"("name":"fieldValidation","in":"query")"),
            std::string::npos);
  const json::Value& schemas = document.at("components").at("schemas");
  EXPECT_EQ(json::to_text(schemas.at("io.k8s.api.apps.v1.DeploymentSpec").at("properties").at("template")),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodTemplateSpec"}],"default":{}})");
  EXPECT_EQ(json::to_text(schemas.at("io.k8s.api.core.v1.Container").at("properties").at("env")),
            R"({"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.EnvVar"}],)"
            R"("default":{}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],)"
            R"("x-kubernetes-patch-strategy":"merge","x-kubernetes-patch-merge-key":"name"})");
  EXPECT_EQ(json::to_text(schemas.at("io.k8s.api.apps.v1.Deployment").at("x-kubernetes-group-version-kind")),
            R"([{"group":"apps","kind":"Deployment","version":"v1"}])");
}

TEST_F(ApiDocuments, ReferToNothingThatIsMissing) {
  define();
  const json::Value index = parsed(get("/openapi/v3"));
  for (const auto& member : index.at("paths").as_object()) {
    const json::Value document = document_at(std::string(member.value().at("serverRelativeURL").as_string()));
    const json::Object& schemas = document.at("components").at("schemas").as_object();
    const std::string text = json::to_text(document), begin = "\"#/components/schemas/";
    std::size_t references = 0;
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1)) {
      const std::size_t from = at + begin.size();
      EXPECT_TRUE(schemas.contains(text.substr(from, text.find('"', from) - from)));
      ++references;
    }
    EXPECT_GT(references, 0U) << std::string(member.key());
  }
}

TEST_F(ApiDocuments, FollowDefinitions) {
  EXPECT_EQ(url_of("apis/example.com/v1"), "");
  const std::string apps = url_of("apis/apps/v1");
  const auto v2_before = parsed(get("/openapi/v2"));
  define();
  const std::string url = url_of("apis/example.com/v1");
  ASSERT_NE(url, "");
  EXPECT_EQ(url_of("apis/apps/v1"), apps);
  const json::Value schema = document_at(url).at("components").at("schemas").at("com.example.v1.Widget");
  EXPECT_EQ(schema.at("description"), "A thing.");
  EXPECT_EQ(schema.at("properties").at("spec").at("properties").at("size").at("description"), "How large.");
  EXPECT_EQ(json::to_text(schema.at("properties").at("metadata")),
            R"({"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"})");
  const std::string selectable = R"([{"fieldPath":"spec.size"}])";
  EXPECT_EQ(json::to_text(schema.at("x-kubernetes-selectable-fields")), selectable);
  EXPECT_EQ(v2_before.at("definitions").as_object().if_contains("com.example.v1.Widget"), nullptr);
  const auto v2 = parsed(get("/openapi/v2"));
  EXPECT_EQ(v2.at("swagger"), "2.0");
  const json::Value& widget = v2.at("definitions").at("com.example.v1.Widget");
  EXPECT_EQ(json::to_text(widget.at("x-kubernetes-selectable-fields")), selectable);
  const json::Value& size = widget.at("properties").at("spec").at("properties").at("size");
  EXPECT_EQ(json::find(size, "nullable"), nullptr);
}

TEST_F(ApiDocuments, OfVersion2LeaveOpenWhatKeepsUnknownFieldsAtItsRoot) {
  post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"bags.example.com"},"spec":{"group":"example.com","scope":"Cluster",
    "names":{"plural":"bags","kind":"Bag"},"versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  server->wait_until_current();
  const json::Value v2 = parsed(get("/openapi/v2"));
  EXPECT_EQ(json::to_text(v2.at("definitions").at("com.example.v1.Bag")),
            R"({"type":"object","x-kubernetes-group-version-kind":[)"
            R"({"group":"example.com","kind":"Bag","version":"v1"}]})");
  const json::Value v3 = document_at(url_of("apis/example.com/v1"));
  EXPECT_TRUE(v3.at("components").at("schemas").at("com.example.v1.Bag").as_object().contains("properties"));
}

TEST_F(ApiDocuments, HaveNoEmptyListsOfParameters) {
  for (const char* group : {"apis/apps/v1", "apis/node.k8s.io/v1", "api/v1"})
    EXPECT_FALSE(json::to_text(document_at(url_of(group))).contains(R"("parameters":[])")) << group;
}

TEST_F(ApiDocuments, AreForGet) {
  EXPECT_EQ(parsed(get("/openapi/v3/apis/none/v1")).at("code"), 404);
  EXPECT_EQ(parsed(get("/openapi/v4")).at("code"), 404);
  EXPECT_EQ(post("/openapi/v3", "{}").at("code"), 405);
}

using Scales = ApiDocuments;

TEST_F(Scales, OfDeployments) {
  const std::string deployments_path = "/apis/apps/v1/namespaces/default/deployments";
  post(deployments_path, R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
      "spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"x"}]}}}})");
  const std::string path = deployments_path + "/d/scale";
  const json::Value scale = parsed(get(path));
  EXPECT_EQ(scale.at("kind"), "Scale") << json::to_text(scale);
  EXPECT_EQ(scale.at("apiVersion"), "autoscaling/v1");
  EXPECT_EQ(json::to_text(scale.at("spec")), R"({"replicas":2})");
  EXPECT_EQ(json::to_text(scale.at("status")), R"({"replicas":0,"selector":"a=b"})");

  EXPECT_EQ(patch(path, R"({"spec":{"replicas":5}})").at("spec").at("replicas"), 5);
  const json::Value deployment = parsed(get(deployments_path + "/d"));
  EXPECT_EQ(deployment.at("spec").at("replicas"), 5);
  EXPECT_EQ(deployment.at("metadata").at("generation"), 2);

  json::Value stale = scale;
  stale.at("spec").as_object()["replicas"] = 7;
  EXPECT_EQ(put(path, json::to_text(stale)).at("code"), 409);
  stale.at("metadata").as_object().erase("resourceVersion");
  EXPECT_EQ(put(path, json::to_text(stale)).at("spec").at("replicas"), 7);
  EXPECT_EQ(patch(path, R"({"spec":{"replicas":-1}})").at("code"), 422);
  EXPECT_EQ(patch(path, R"({"spec":{"replicas":"x"}})").at("code"), 422);
  EXPECT_EQ(patch(path, R"({"metadata":{"name":"other"}})").at("code"), 400);
  EXPECT_EQ(parsed(get(deployments_path + "/none/scale")).at("code"), 404);
  EXPECT_EQ(parsed(get("/api/v1/namespaces/default/configmaps/x/scale")).at("code"), 404);
}

TEST_F(Scales, OfCustomResources) {
  define();
  const std::string path = "/apis/example.com/v1/namespaces/default/widgets";
  post(path, R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{}})");
  EXPECT_EQ(parsed(get(path + "/w/scale")).at("code"), 500);
  EXPECT_EQ(patch(path + "/w/scale", R"({"spec":{"replicas":3}})").at("spec").at("replicas"), 3);
  EXPECT_EQ(parsed(get(path + "/w")).at("spec").at("size"), 3);
  EXPECT_EQ(parsed(get(path + "/w/scale")).at("spec").at("replicas"), 3);
}

TEST_F(ApiDocuments, MetricsCountRequestsAndObjects) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  get("/api/v1/namespaces/default/configmaps/none");
  const std::string text = get("/metrics");
  EXPECT_NE(text.find("apiserver_request_total{"), std::string::npos);
  EXPECT_NE(text.find(R"(code="404",component="apiserver")"), std::string::npos);
  EXPECT_NE(text.find("apiserver_request_duration_seconds_bucket{"), std::string::npos);
  EXPECT_NE(text.find(R"(apiserver_current_inflight_requests{request_kind="readOnly"} 1)"),
            std::string::npos);
  // Beside the one that the server publishes for extensions.
  EXPECT_NE(text.find(R"(apiserver_storage_objects{resource="configmaps"} 2)"), std::string::npos);
}

}  // namespace
}  // namespace fairway::apiserver::testing
