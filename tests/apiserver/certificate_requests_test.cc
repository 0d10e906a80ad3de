// SPDX-License-Identifier: Apache-2.0

// CertificateSigningRequests: who asks, who approves, who signs.
#include <string>

#include "apiserver/raw_client.h"
#include "apiserver/server_case.h"
#include "base/base64.h"
#include "base/file.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource requests{"certificates.k8s.io", "v1", "certificatesigningrequests"};

/// Returns a request in base64: request.pem is for the common name "somebody".
std::string request_of(const std::string& file) {
  return base64_encode(read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/" + file).value());
}

class CertificateRequests : public OnServer {
 protected:
  static k8s::Dynamic request_for(const std::string& file) {
    k8s::Dynamic request = object_of(R"({"apiVersion":"certificates.k8s.io/v1",
      "kind":"CertificateSigningRequest","metadata":{"name":"r"},"spec":{"request":"",
      "signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"],
      "username":"system:node:a","uid":"1","groups":["system:nodes"],"extra":{"a":["b"]}},
      "status":{"conditions":[{"type":"Approved","status":"True"}]}})");
    request.set("spec.request", request_of(file));
    return request;
  }
  k8s::Dynamic make() const {
    const auto made = client->create(requests, request_for("request.pem"));
    EXPECT_OK(made);
    return made ? *made : k8s::Dynamic();
  }
  static void decide(k8s::Dynamic& request, std::string_view type) {
    k8s::Editor condition = request.append("status.conditions");
    condition.set("type", type);
    condition.set("status", "True");
    condition.set("reason", "Tested");
  }
  static bool has(const k8s::Dynamic& request, std::string_view type) {
    return std::ranges::any_of(request.items("status.conditions"),
                               [&](const k8s::View& one) { return one.text("type") == type; });
  }
  static std::vector<std::string_view> groups(const k8s::Dynamic& request) {
    return request.texts("spec.groups");
  }
};

/// Lets bob write the status of requests, and sign none; then patches that of "r" in his name.
class BobsStatus {
 public:
  explicit BobsStatus(const EmbeddedServer& server) : admin_(server, &server.admin()) {
    const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/";
    const char* role = R"({"metadata":{"name":"status"},"rules":[{"apiGroups":["certificates.k8s.io"],
      "resources":["certificatesigningrequests/status"],"verbs":["patch"]}]})";
    const char* binding = R"({"metadata":{"name":"status"},"subjects":[{"kind":"User","name":"bob",
      "apiGroup":"rbac.authorization.k8s.io"}],"roleRef":{"kind":"ClusterRole","name":"status",
      "apiGroup":"rbac.authorization.k8s.io"}})";
    EXPECT_EQ(admin_.send("POST", rbac + "clusterroles", {}, role).status, 201);
    EXPECT_EQ(admin_.send("POST", rbac + "clusterrolebindings", {}, binding).status, 201);
  }
  http::Reply operator()(const std::string& conditions) {
    return admin_.send("PATCH", "/apis/certificates.k8s.io/v1/certificatesigningrequests/r/status",
                       {{"Impersonate-User", "bob"}, {"Content-Type", "application/merge-patch+json"}},
                       R"({"status":{"conditions":[)" + conditions + "]}}");
  }

 private:
  RawClient admin_;
};

TEST_F(CertificateRequests, AreOfTheUserWhoMakesThem) {
  const k8s::Dynamic made = make();
  EXPECT_EQ(made.text("spec.username"), "kubernetes-admin");
  EXPECT_FALSE(made.has("spec.uid"));
  const std::string extra = json::to_text(*made.find("spec.extra"));
  EXPECT_TRUE(extra.starts_with(R"({"authentication.kubernetes.io/credential-id":["X509SHA256=)")) << extra;
  const auto all = groups(made);
  EXPECT_TRUE(std::ranges::find(all, "system:masters") != all.end());
  EXPECT_TRUE(std::ranges::find(all, "system:nodes") == all.end());
  EXPECT_FALSE(has(made, "Approved")) << "nobody makes a request that is approved";
}

TEST_F(CertificateRequests, AreNotMadeForMastersAsClients) {
  k8s::Dynamic request = request_for("request-of-masters.pem");
  const auto refused = client->create(requests, request);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::forbidden)) << refused.error().message;
  EXPECT_NE(refused.error().message.find("signer with system:masters group is not allowed"),
            std::string::npos)
      << refused.error().message;
  request.set("spec.signerName", "example.com/own");
  EXPECT_OK(client->create(requests, request));
}

TEST_F(CertificateRequests, AreRequestsSignedByTheirOwnKey) {
  const std::string whole = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/request.pem").value();
  std::string forged = whole;
  // A byte of the signature.
  char& digit = forged[forged.rfind("-----END") - 8];
  digit = digit == 'A' ? 'B' : 'A';
  for (const std::string& pem : {std::string("first"), whole.substr(0, whole.size() / 2), forged}) {
    k8s::Dynamic request = request_for("request.pem");
    request.set("spec.request", base64_encode(pem));
    const auto refused = client->create(requests, request);
    ASSERT_FALSE(refused) << pem;
    EXPECT_NE(refused.error().message.find("spec.request: Invalid value"), std::string::npos)
        << refused.error().message;
  }
}

TEST_F(CertificateRequests, NameASignerAndUsages) {
  const auto refusal = [&](std::string_view path, json::Value value) {
    k8s::Dynamic request = request_for("request.pem");
    request.set(path, std::move(value));
    const auto made = client->create(requests, request);
    return made ? std::string("created") : made.error().message;
  };
  EXPECT_NE(refusal("spec.usages", json::Array{}).find("spec.usages: Required value"), std::string::npos);
  EXPECT_NE(refusal("spec.usages", json::Array{"dancing"}).find("spec.usages[0]: Unsupported value"),
            std::string::npos);
  EXPECT_NE(refusal("spec.usages", json::Array{"any", "any"}).find("spec.usages[1]: Duplicate value"),
            std::string::npos);
  EXPECT_NE(refusal("spec.signerName", "nobody").find("spec.signerName: Invalid value"), std::string::npos);
  EXPECT_NE(refusal("spec.signerName", "kubernetes.io/legacy-unknown").find("legacy signerName"),
            std::string::npos);
  EXPECT_NE(refusal("spec.expirationSeconds", 60).find("less than 600 seconds"), std::string::npos);
}

TEST_F(CertificateRequests, AreNotChanged) {
  k8s::Dynamic request = make();
  request.set("spec.request", "c2Vjb25k");
  request.set("spec.username", "system:node:a");
  request.set_label("a", "b");
  const auto changed = client->replace(requests, request);
  ASSERT_OK(changed);
  EXPECT_EQ(changed->text("spec.request"), request_of("request.pem"));
  EXPECT_EQ(changed->text("spec.username"), "kubernetes-admin");
  EXPECT_EQ(changed->label("a"), "b");
}

TEST_F(CertificateRequests, AreApprovedAndNothingElseOfThemChanges) {
  k8s::Dynamic request = make();
  decide(request, "Approved");
  request.set("spec.request", "c2Vjb25k");
  request.set("status.certificate", "YQ==");
  request.set_label("a", "b");
  request.set_annotation("c", "d");
  const auto approved = client->replace(requests, request, "approval");
  ASSERT_OK(approved);
  ASSERT_TRUE(has(*approved, "Approved"));
  EXPECT_TRUE(approved->items("status.conditions").front().find_time("lastTransitionTime"));
  EXPECT_TRUE(approved->items("status.conditions").front().find_time("lastUpdateTime"));
  EXPECT_EQ(approved->text("spec.request"), request_of("request.pem"));
  EXPECT_FALSE(approved->has("status.certificate"));
  // The metadata comes with it, as with a status.
  EXPECT_EQ(approved->label("a"), "b");
  EXPECT_EQ(approved->annotation("c"), "d");
  // It is stored, not only answered.
  const auto read = client->get(requests, {"", "r"});
  ASSERT_OK(read);
  EXPECT_TRUE(has(*read, "Approved"));
}

TEST_F(CertificateRequests, AreNotApprovedByWhoWritesTheirStatus) {
  k8s::Dynamic request = make();
  decide(request, "Approved");
  const auto refused = client->replace(requests, request, "status");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is(k8s::reason::invalid));
  EXPECT_NE(refused.error().message.find("updates may not add a condition of type \"Approved\""),
            std::string::npos)
      << refused.error().message;
}

TEST_F(CertificateRequests, AreSignedByWhoWritesTheirStatus) {
  k8s::Dynamic request = make();
  decide(request, "Approved");
  const auto approved = client->replace(requests, request, "approval");
  ASSERT_OK(approved);
  k8s::Dynamic certified = *approved;
  certified.set("status.certificate", "YQ==");
  // What it says of the decision does not change it.
  certified.edit_items("status.conditions").front().set("reason", "Other");
  const auto is_signed = client->replace(requests, certified, "status");
  ASSERT_OK(is_signed);
  EXPECT_EQ(is_signed->text("status.certificate"), "YQ==");
  EXPECT_EQ(is_signed->items("status.conditions").front().text("reason"), "Tested");
  certified = *is_signed;
  certified.set("status.certificate", "Yg==");
  EXPECT_FALSE(client->replace(requests, certified, "status")) << "one certificate is all there is";
}

TEST_F(CertificateRequests, StayAsTheyWereDecided) {
  k8s::Dynamic request = make();
  decide(request, "Denied");
  const auto denied = client->replace(requests, request, "approval");
  ASSERT_OK(denied);
  k8s::Dynamic changed = *denied;
  decide(changed, "Approved");
  const auto both = client->replace(requests, changed, "approval");
  ASSERT_FALSE(both);
  EXPECT_TRUE(both.error().is(k8s::reason::invalid));
  changed = *denied;
  changed.erase("status.conditions");
  EXPECT_FALSE(client->replace(requests, changed, "approval"));
  decide(changed, "Approved");
  EXPECT_FALSE(client->replace(requests, changed, "approval"));
}

TEST_F(CertificateRequests, AreFoundInvalidBeforeTheirSignerIsLookedAt) {
  k8s::Dynamic request = make();
  decide(request, "Approved");
  ASSERT_OK(client->replace(requests, request, "approval"));
  BobsStatus patch(*server);
  // As kube-apiserver, whose admission looks at what is valid.
  const auto removed = patch(R"({"type":"Failed","status":"True"})");
  EXPECT_EQ(removed.status, 422) << removed.body;
  EXPECT_NE(removed.body.find("may not remove"), std::string::npos) << removed.body;
  const auto kept = patch(R"({"type":"Approved","status":"True","reason":"Tested"},
    {"type":"Failed","status":"True"})");
  EXPECT_EQ(kept.status, 403) << kept.body;
  EXPECT_NE(kept.body.find("user not permitted to sign"), std::string::npos) << kept.body;
}

// Times have seconds in the API: what is written twice within one has the same.
TEST_F(CertificateRequests, AreNotSignedByWhoRepeatsACondition) {
  BobsStatus patch(*server);
  k8s::Dynamic request = make();
  decide(request, "Failed");
  const auto failed = client->replace(requests, request, "status");
  ASSERT_OK(failed);
  const auto repeated = patch(R"({"type":"Failed","status":"True","reason":"Tested"})");
  EXPECT_EQ(repeated.status, 403) << repeated.body;
  // With its time it is the condition that is there.
  const std::string time(failed->items("status.conditions").front().text("lastUpdateTime"));
  ASSERT_NE(time, "");
  const auto same =
      patch(R"({"type":"Failed","status":"True","reason":"Tested","lastUpdateTime":")" + time + "\"}");
  EXPECT_EQ(same.status, 200) << same.body;
}

}  // namespace
}  // namespace fairway::apiserver::testing
