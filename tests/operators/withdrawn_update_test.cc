// SPDX-License-Identifier: Apache-2.0

// A request that is withdrawn while the status that begins its update is written.
#include <atomic>

#include "apiserver/fake_webhook.h"
#include "operators/updating_case.h"

namespace fairway::operators::testing {
namespace {

/// The first write of a status that begins an update waits until the request for it is gone.
class WithdrawnUpdate : public Updating {
 protected:
  void SetUp() override {
    Updating::SetUp();
    const auto configuration = json::parse(
        R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
        "metadata":{"name":"withdraws"},"webhooks":[{"name":"withdraws.example.com",
        "clientConfig":{"url":"https://)" +
        webhook_.address() + R"(/","caBundle":")" + webhook_.ca_bundle() +
        R"("},"admissionReviewVersions":["v1"],"sideEffects":"None","rules":[{"operations":["UPDATE"],
        "apiGroups":["config.openshift.io"],"apiVersions":["v1"],"resources":["clusterversions/status"]}],
        "matchConditions":[{"name":"begins","expression":
        "has(object.status.history) && object.status.history[0].version == '4.6.24'"}]}]})");
    ASSERT_TRUE(configuration) << configuration.error().message;
    const auto made =
        client_->create({"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"},
                        k8s::Dynamic(configuration->as_object()));
    ASSERT_TRUE(made) << made.error().message;
  }

  http::Response review(const http::Request& request) {
    if (seen_++ == 0) write_spec(spec());
    const json::Value asked = json::parse(request.body).value();
    json::Object said{{"uid", text(member(asked, "request"), "uid")}, {"allowed", true}};
    return http::Response::json(200, json::to_text(json::Object{{"apiVersion", "admission.k8s.io/v1"},
                                                                {"kind", "AdmissionReview"},
                                                                {"response", std::move(said)}}));
  }

  std::atomic<int> seen_ = 0;
  apiserver::testing::FakeWebhook webhook_{[this](const http::Request& request) { return review(request); }};
};

TEST_F(WithdrawnUpdate, DoesNotBegin) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "2")}});
  begin();
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return log().contains("or asks for another"); })) << why();
  EXPECT_EQ(seen_, 1);
  EXPECT_EQ(history(), "Completed 4.6.23") << why();
  EXPECT_EQ(value("a"), "1");
  // It begins where it is asked for again.
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
}

}  // namespace
}  // namespace fairway::operators::testing
