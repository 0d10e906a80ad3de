// CertificateSigningRequests: who asks, who approves, who signs.
#include <string>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource requests{"certificates.k8s.io", "v1", "certificatesigningrequests"};

class CertificateRequests : public OnServer {
 protected:
  k8s::Dynamic make() const {
    const auto made = client->create(requests, object_of(R"({"apiVersion":"certificates.k8s.io/v1",
      "kind":"CertificateSigningRequest","metadata":{"name":"r"},"spec":{"request":"Zmlyc3Q=",
      "signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"],
      "username":"system:node:a","uid":"1","groups":["system:nodes"],"extra":{"a":["b"]}},
      "status":{"conditions":[{"type":"Approved","status":"True"}]}})"));
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

TEST_F(CertificateRequests, AreNotChanged) {
  k8s::Dynamic request = make();
  request.set("spec.request", "c2Vjb25k");
  request.set("spec.username", "system:node:a");
  request.set_label("a", "b");
  const auto changed = client->replace(requests, request);
  ASSERT_OK(changed);
  EXPECT_EQ(changed->text("spec.request"), "Zmlyc3Q=");
  EXPECT_EQ(changed->text("spec.username"), "kubernetes-admin");
  EXPECT_EQ(changed->label("a"), "b");
}

TEST_F(CertificateRequests, AreApprovedAndNothingElse) {
  k8s::Dynamic request = make();
  decide(request, "Approved");
  request.set("spec.request", "c2Vjb25k");
  request.set("status.certificate", "YQ==");
  request.set_label("a", "b");
  const auto approved = client->replace(requests, request, "approval");
  ASSERT_OK(approved);
  ASSERT_TRUE(has(*approved, "Approved"));
  EXPECT_TRUE(approved->items("status.conditions").front().find_time("lastTransitionTime"));
  EXPECT_TRUE(approved->items("status.conditions").front().find_time("lastUpdateTime"));
  EXPECT_EQ(approved->text("spec.request"), "Zmlyc3Q=");
  EXPECT_FALSE(approved->has("status.certificate"));
  EXPECT_EQ(approved->label("a"), "");
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

}  // namespace
}  // namespace fairway::apiserver::testing
