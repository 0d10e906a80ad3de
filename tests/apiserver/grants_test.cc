// SPDX-License-Identifier: Apache-2.0

// Nobody gives rights that they do not hold, nor lets a policy read what they may not: cases with the codes
// of kube-apiserver, which `./dev conformance kube` asks the same.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/raw_client.h"
#include "base/file.h"
#include "support/cases.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::field;
using fairway::testing::text;

std::string media_type(const json::Value& one) {
  const json::Value* type = json::find(one, "type");
  if (type == nullptr) return "application/json";
  const std::string name(type->as_string());
  return "application/" + name + (name == "apply-patch" ? "+yaml" : "+json");
}

TEST(Grants, AreJudgedAsByTheRealServer) {
  const json::Value table = parsed(read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/grants.json").value());
  const auto server = start_server({.namespace_defaults = false, .role_aggregation = false});
  const RawClient admin(*server, &server->admin());
  const auto make = [&](const std::string& path, const json::Value& body) {
    const http::Reply made = admin.send("POST", path, {}, json::to_text(body));
    ASSERT_EQ(made.status, 201) << made.body;
  };
  const std::string api = "/apis/rbac.authorization.k8s.io/v1/";
  for (const auto& [user, rules] : field(table, "users").as_object()) {
    const json::Object metadata{{"name", "rights-of-" + std::string(user)}};
    make(api + "clusterroles", json::Object{{"metadata", metadata}, {"rules", rules}});
    make(api + "clusterrolebindings",
         json::Object{{"metadata", metadata},
                      {"roleRef", json::Object{{"apiGroup", "rbac.authorization.k8s.io"},
                                               {"kind", "ClusterRole"},
                                               {"name", metadata.at("name")}}},
                      {"subjects",
                       json::Array{json::Object{
                           {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "User"}, {"name", user}}}}});
  }
  for (const json::Value& object : field(table, "objects").as_array())
    make(text(object, "path"), field(object, "body"));
  for (const json::Value& one : field(table, "cases").as_array()) {
    SCOPED_TRACE(text(one, "name"));
    const auto certificate = server->client_certificate(text(one, "user"), {}).value();
    http::Headers headers;
    headers.add("Content-Type", media_type(one));
    std::string path = text(one, "path");
    // Each case finds what the last one found.
    path += (path.find('?') == std::string::npos ? "?" : "&") + std::string("dryRun=All");
    const http::Reply reply =
        RawClient(*server, &certificate)
            .send(text(one, "method"), path, headers, json::to_text(field(one, "body")));
    EXPECT_EQ(reply.status, field(one, "status").to_number<int>()) << reply.body;
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
