// SPDX-License-Identifier: Apache-2.0

// What the server says about itself, and which bodies it says it takes.
#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/definition_case.h"
#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

class ServerPaths : public OnServer {
 protected:
  http::KeyedCertificate certificate = server->client_certificate("eve", {}).value();
  RawClient root{*server, &server->admin()}, eve{*server, &certificate}, nobody{*server};
};

TEST_F(ServerPaths, AreListedForThoseWhoMay) {
  const http::Reply index = root.send("GET", "/");
  EXPECT_EQ(index.status, 200);
  const k8s::Dynamic document = body_of(index);
  const std::vector<std::string_view> paths = document.texts("paths");
  EXPECT_TRUE(std::ranges::is_sorted(paths));
  for (const std::string_view path :
       {"/api/v1", "/apis/apps", "/apis/apps/v1", "/livez/ping", "/readyz/etcd", "/openapi/v3", "/version"}) {
    EXPECT_NE(std::ranges::find(paths, path), paths.end()) << path;
  }
  for (const std::string_view path : paths) {
    // A path of OpenAPI has bodies of its own kinds.
    if (path.starts_with("/openapi")) continue;
    EXPECT_EQ(root.send("GET", std::string(path)).status, 200) << path;
  }
  EXPECT_EQ(eve.send("GET", "/").status, 403);
}

TEST_F(ServerPaths, OfSingleChecksAreForThoseWhoMay) {
  const std::string ready = nobody.send("GET", "/readyz?verbose").body;
  EXPECT_TRUE(
      ready.starts_with("[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n"
                        "[+]poststarthook/start-apiserver-admission-initializer ok\n"))
      << ready;
  EXPECT_TRUE(ready.ends_with("\n[+]shutdown ok\nreadyz check passed\n")) << ready;
  const std::string alive = nobody.send("GET", "/livez?verbose&exclude=etcd").body;
  EXPECT_TRUE(
      alive.starts_with("[+]ping ok\n[+]log ok\n[+]loopback-serving-certificate ok\n"
                        "[+]etcd excluded: ok\n[+]poststarthook/"))
      << alive;
  EXPECT_TRUE(alive.ends_with(" ok\nlivez check passed\n")) << alive;
  const std::string without =
      nobody
          .send("GET",
                "/livez?verbose&exclude=poststarthook%2Frbac%2Fbootstrap-roles&exclude=zz&exclude=a%22")
          .body;
  EXPECT_TRUE(without.contains("\n[+]poststarthook/rbac/bootstrap-roles excluded: ok\n")) << without;
  EXPECT_TRUE(
      without.ends_with(" ok\nwarn: some health checks cannot be excluded: no matches for "
                        "\"a\\\"\",\"zz\"\nlivez check passed\n"))
      << without;
  EXPECT_EQ(root.send("GET", "/livez/poststarthook/rbac/bootstrap-roles").body, "ok");
  EXPECT_EQ(root.send("GET", "/livez/poststarthook/rbac").status, 404);
  EXPECT_EQ(nobody.send("GET", "/readyz/etcd").status, 401);
  EXPECT_EQ(eve.send("GET", "/readyz/etcd").status, 403);
  EXPECT_EQ(root.send("GET", "/readyz/etcd").body, "ok");
}

TEST_F(ServerPaths, NameTheAddressOfTheServer) {
  const k8s::Dynamic versions = body_of(root.send("GET", "/api"));
  const auto addresses = versions.items("serverAddressByClientCIDRs");
  ASSERT_EQ(addresses.size(), 1U);
  EXPECT_EQ(addresses[0].text("clientCIDR"), "0.0.0.0/0");
  EXPECT_EQ("https://" + std::string(addresses[0].text("serverAddress")), server->url());
}

TEST_F(ServerPaths, OfCustomResourcesTakeNoProtobufAndDoNotSaySo) {
  DefinitionCase api{*server};
  api.define(definition_of(version_of("v1", true, "")));
  for (const char* type : {"application/vnd.kubernetes.protobuf", "text/plain"}) {
    http::Headers headers;
    headers.set("Content-Type", type);
    const http::Reply refused = root.send("POST", api.path(""), headers, "k8s");
    EXPECT_EQ(refused.status, 415);
    EXPECT_EQ(body_of(refused).text("message"),
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json, application/yaml");
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
