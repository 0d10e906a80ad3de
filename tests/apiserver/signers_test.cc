// SPDX-License-Identifier: Apache-2.0

// Who may attest for a signer, sign a PodCertificateRequest, and write the parts of a ResourceClaim's status.
#include <string>

#include "apiserver/raw_client.h"
#include "apiserver/server_case.h"
#include "base/file.h"

namespace fairway::apiserver::testing {
namespace {

const std::string certificates = "/apis/certificates.k8s.io/v1/";

/// Requests in the name of bob, who may write bundles and requests, and has further rights on signers.
class Signers : public OnServer {
 protected:
  Signers() : admin_(*server, &server->admin()) {
    allow("writer", R"({"apiGroups":["certificates.k8s.io"],"resources":["clustertrustbundles",
      "podcertificaterequests","podcertificaterequests/status"],"verbs":["*"]})");
  }
  void allow(const std::string& name, const std::string& rule) {
    const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
    EXPECT_EQ(admin_
                  .send("POST", rbac + "clusterroles", {},
                        R"({"metadata":{"name":")" + name + R"("},"rules":[)" + rule + "]}")
                  .status,
              201);
    EXPECT_EQ(admin_
                  .send("POST", rbac + "clusterrolebindings", {},
                        R"({"metadata":{"name":")" + name + R"("},"subjects":[{"kind":"User","name":"bob",
      "apiGroup":"rbac.authorization.k8s.io"}],"roleRef":{"kind":"ClusterRole","name":")" +
                            name + R"(","apiGroup":"rbac.authorization.k8s.io"}})")
                  .status,
              201);
    server->wait_until_current();
  }
  void may(const std::string& verb, const std::string& signer) {
    allow(verb + "er", R"({"apiGroups":["certificates.k8s.io"],"resources":["signers"],"verbs":[")" + verb +
                           R"("],"resourceNames":[")" + signer + R"("]})");
  }
  http::Reply as_bob(const std::string& method, const std::string& path, const json::Value& body) {
    http::Headers headers{{"Impersonate-User", "bob"}};
    if (method == "PATCH") headers.set("Content-Type", "application/merge-patch+json");
    return admin_.send(method, certificates + path, headers, json::to_text(body));
  }

 private:
  RawClient admin_;
};

json::Value bundle(const std::string& name, const std::string& signer) {
  json::Object spec{
      {"trustBundle", read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/authority.pem").value()}};
  if (!signer.empty()) spec["signerName"] = signer;
  return json::Object{{"metadata", json::Object{{"name", name}}}, {"spec", spec}};
}

TEST_F(Signers, AreAttestedByThoseWhoMay) {
  const json::Value ours = bundle("example.com:a:one", "example.com/a");
  EXPECT_EQ(as_bob("POST", "clustertrustbundles", bundle("free", "")).status, 201);
  const http::Reply refused = as_bob("POST", "clustertrustbundles", ours);
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find(R"(user not permitted to attest for signerName \"example.com/a\")"),
            std::string::npos)
      << refused.body;
  may("attest", "example.com/*");
  EXPECT_EQ(as_bob("POST", "clustertrustbundles", ours).status, 201);
}

TEST_F(Signers, AreAttestedWhenABundleChanges) {
  may("attest", "example.com/a");
  EXPECT_EQ(as_bob("POST", "clustertrustbundles", bundle("example.com:a:one", "example.com/a")).status, 201);
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/attester";
  EXPECT_EQ(RawClient(*server, &server->admin()).send("DELETE", rbac, {}, "").status, 200);
  server->wait_until_current();
  const auto change = [&](const char* patch) {
    return as_bob("PATCH", "clustertrustbundles/example.com:a:one", parsed(patch)).status;
  };
  EXPECT_EQ(change(R"({"metadata":{"labels":{"a":"b"}}})"), 403);
  EXPECT_EQ(change(R"({"metadata":{"finalizers":["example.com/a"]}})"), 200) << "as the garbage collector";
}

TEST_F(Signers, AreOfBundlesThatAreReadOnce) {
  // As large as one may be; what were quadratic in it would not end.
  std::string begins, lines;
  while (begins.size() < 1'000'000) begins += "-----BEGIN -----";
  while (lines.size() < 1'000'000) lines += "-----BEGIN X-----\n";
  for (const std::string& text :
       {begins, lines, lines + "-----END Y-----\n", begins + "\n-----END -----\n"}) {
    json::Value body = bundle("free", "");
    body.at("spec").as_object()["trustBundle"] = text;
    const http::Reply reply = as_bob("POST", "clustertrustbundles", body);
    EXPECT_EQ(reply.status, 422) << reply.body.substr(0, 200);
  }
}

TEST_F(Signers, SignPodCertificates) {
  const json::Value request = parsed(R"({"metadata":{"name":"r"},"spec":{"signerName":"example.com/a",
    "podName":"p","podUID":"1","serviceAccountName":"s","serviceAccountUID":"2","nodeName":"n","nodeUID":"3",
    "stubPKCS10Request":"eA=="}})");
  EXPECT_EQ(as_bob("POST", "namespaces/default/podcertificaterequests", request).status, 201);
  const json::Value issued =
      parsed(R"({"status":{"conditions":[{"type":"Denied","status":"True","reason":"No",
    "message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  const std::string status = "namespaces/default/podcertificaterequests/r/status";
  const http::Reply refused = as_bob("PATCH", status, issued);
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"(User \"bob\" is not permitted to \"sign\" for signer \"example.com/a\")"),
            std::string::npos)
      << refused.body;
  EXPECT_EQ(as_bob("PATCH", status, parsed(R"({"metadata":{"labels":{"a":"b"}}})")).status, 200);
  may("sign", "example.com/a");
  EXPECT_EQ(as_bob("PATCH", status, issued).status, 200);
}

/// A claim of bob's, who may write claims and their status.
class ClaimRights : public Signers {
 protected:
  ClaimRights() {
    allow("claims",
          R"({"apiGroups":["resource.k8s.io"],"resources":["resourceclaims","resourceclaims/status"],
      "verbs":["*"]})");
    EXPECT_EQ(send("POST", "", R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r",
      "exactly":{"deviceClassName":"d"}}]}}})")
                  .status,
              201);
  }
  http::Reply send(const std::string& method, const std::string& path, std::string_view body,
                   const std::string& type = "application/merge-patch+json") {
    http::Headers headers{{"Impersonate-User", "bob"}};
    if (method == "PATCH") headers.set("Content-Type", type);
    return RawClient(*server, &server->admin())
        .send(method, "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims" + path, headers,
              std::string(body));
  }
  static constexpr const char* allocation = R"({"status":{"allocation":{"devices":{"results":[{"request":"r",
    "driver":"example.com","pool":"p","device":"d"}]}}}})";
  static constexpr const char* device = R"({"status":{"devices":[{"driver":"example.com","pool":"p",
    "device":"d"}]}})";
};

TEST_F(ClaimRights, BindTakesAVerbOfItsOwn) {
  const http::Reply refused = send("PATCH", "/c/status", allocation);
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"(requires resource=\"resourceclaims/binding\", verb=\"patch\" permission: )"
                              R"(resourceclaims.resource.k8s.io is forbidden: User \"bob\" cannot patch)"),
            std::string::npos)
      << refused.body;
  EXPECT_EQ(
      send("PATCH", "/c/status", R"({"status":{"reservedFor":[{"resource":"pods","name":"p","uid":"1"}]}})")
          .status,
      422);
  allow("binder",
        R"({"apiGroups":["resource.k8s.io"],"resources":["resourceclaims/binding"],"verbs":["patch"]})");
  EXPECT_EQ(send("PATCH", "/c/status", allocation).status, 200);
}

TEST_F(ClaimRights, DevicesAreOfTheirDrivers) {
  const http::Reply refused = send("PATCH", "/c/status", device);
  EXPECT_EQ(refused.status, 422);
  EXPECT_NE(refused.body.find(R"(verb=\"[arbitrary-node:patch]\" permission)"), std::string::npos)
      << refused.body;
  allow("driver", R"({"apiGroups":["resource.k8s.io"],"resources":["resourceclaims/driver"],
    "verbs":["arbitrary-node:patch"],"resourceNames":["example.com"]})");
  EXPECT_EQ(send("PATCH", "/c/status", device).status, 200);
}

TEST_F(ClaimRights, AdministratorsAccessTakesALabelOfTheNamespace) {
  const char* claim = R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r",
    "exactly":{"deviceClassName":"d","adminAccess":true}}]}}})";
  EXPECT_EQ(send("POST", "", claim).status, 422);
  EXPECT_EQ(
      RawClient(*server, &server->admin())
          .send("PATCH", "/api/v1/namespaces/default", {{"Content-Type", "application/merge-patch+json"}},
                R"({"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}})")
          .status,
      200);
  EXPECT_EQ(send("POST", "", claim).status, 201);
}

}  // namespace
}  // namespace fairway::apiserver::testing
