// SPDX-License-Identifier: Apache-2.0

// Bindings and evictions are shown to admission, as kube-apiserver shows them: CREATE of pods/binding and
// pods/eviction, with the object that was posted.
#include <mutex>
#include <string>
#include <vector>

#include "apiserver/fake_webhook.h"
#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* pods = "/api/v1/namespaces/default/pods";
constexpr const char* configurations =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

class PodRequestsAdmission : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string configuration =
        R"({"metadata":{"name":"v"},"webhooks":[{"name":"v.example.com","admissionReviewVersions":["v1"],
            "sideEffects":"None","clientConfig":{"url":"https://)" +
        webhook.address() + R"(/v","caBundle":")" + webhook.ca_bundle() +
        R"("},"rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],
            "resources":["pods/binding","pods/eviction","bindings"]}]}]})";
    ASSERT_EQ(client->send("POST", configurations, {}, configuration).status, 201);
    const http::Reply made = client->send("POST", pods, {}, R"({"metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c","image":"i"}]}})");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  http::Reply bind(const std::string& path) const {
    return client->send("POST", path, {}, R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},
        "target":{"kind":"Node","name":"n"}})");
  }
  http::Reply evict() const {
    return client->send("POST", std::string(pods) + "/p/eviction", {},
                        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})");
  }
  k8s::Dynamic pod() const { return body_of(client->send("GET", std::string(pods) + "/p")); }
  /// Returns the reviews that the webhook received, one line each.
  std::vector<std::string> shown() {
    const std::scoped_lock lock(mutex);
    return reviews;
  }

  std::mutex mutex;
  std::vector<std::string> reviews;
  bool allowed = false;
  FakeWebhook webhook{[this](const http::Request& request) {
    const k8s::Dynamic review = k8s::Dynamic::parse(request.body).value();
    const std::scoped_lock lock(mutex);
    const std::string_view subresource = review.text("request.subResource");
    reviews.push_back(std::string(review.text("request.operation")) + " " +
                      std::string(review.text("request.resource.resource")) +
                      (subresource.empty() ? "" : "/") + std::string(subresource) + " " +
                      std::string(review.text("request.kind.group")) + "/" +
                      std::string(review.text("request.kind.kind")) + " " +
                      std::string(review.text("request.object.metadata.name")));
    return http::Response::json(
        200, R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":")" +
                 std::string(review.text("request.uid")) + R"(","allowed":)" +
                 (allowed ? "true" : R"(false,"status":{"message":"not now"})") + "}}");
  }};
  std::unique_ptr<EmbeddedServer> server = start_server({.namespace_defaults = false});
  std::unique_ptr<RawClient> client = std::make_unique<RawClient>(*server, &server->admin());
};

TEST_F(PodRequestsAdmission, RefusesABinding) {
  const http::Reply refused = bind(std::string(pods) + "/p/binding");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_EQ(body_of(refused).text("message"),
            "admission webhook \"v.example.com\" denied the request: not now");
  EXPECT_EQ(pod().text("spec.nodeName"), "");
  EXPECT_EQ(shown(), std::vector<std::string>{"CREATE pods/binding /Binding p"});
}

TEST_F(PodRequestsAdmission, IsAskedOnceForABindingThatItAllows) {
  allowed = true;
  EXPECT_EQ(bind(std::string(pods) + "/p/binding").status, 201);
  EXPECT_EQ(pod().text("spec.nodeName"), "n");
  EXPECT_EQ(shown(), std::vector<std::string>{"CREATE pods/binding /Binding p"});
}

TEST_F(PodRequestsAdmission, RefusesABindingOfTheOldPath) {
  EXPECT_EQ(bind("/api/v1/namespaces/default/bindings").status, 400);
  EXPECT_EQ(pod().text("spec.nodeName"), "");
  EXPECT_EQ(shown(), std::vector<std::string>{"CREATE bindings /Binding p"});
}

TEST_F(PodRequestsAdmission, RefusesAnEviction) {
  EXPECT_EQ(evict().status, 400);
  EXPECT_EQ(pod().name(), "p");
  EXPECT_FALSE(pod().is_being_deleted());
  EXPECT_EQ(shown(), std::vector<std::string>{"CREATE pods/eviction policy/Eviction p"});
}

TEST_F(PodRequestsAdmission, IsAskedOnceForAnEvictionThatItAllows) {
  allowed = true;
  EXPECT_EQ(evict().status, 201);
  EXPECT_EQ(shown(), std::vector<std::string>{"CREATE pods/eviction policy/Eviction p"});
}

TEST_F(PodRequestsAdmission, IsNotAskedWhatTheServerRefuses) {
  const http::Reply refused = client->send(
      "POST", std::string(pods) + "/p/binding", {},
      R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"other"},"target":{"name":"n"}})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(body_of(refused).text("message"), "name in URL does not match name in Binding object");
  EXPECT_EQ(shown(), std::vector<std::string>{});
}

}  // namespace
}  // namespace fairway::apiserver::testing
